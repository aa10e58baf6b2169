// Describes operators and functions to people.
#pragma once

#include <string>

namespace tidemill::expressions {

// Returns text for a terminal: a line for each operator, three lines for each function.
std::string DescribeLanguage();

// Returns the page docs/reference/expressions.md.
std::string ReferencePage();

}  // namespace tidemill::expressions

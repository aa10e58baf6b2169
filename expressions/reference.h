// Describes operators and functions to people.
#pragma once

#include <string>

namespace tidemill::expressions {

// For a terminal: a line for each operator, three for each function.
std::string DescribeLanguage();

// The page docs/reference/expressions.md.
std::string ReferencePage();

}  // namespace tidemill::expressions

// Tells what a column is by the properties of its values and by its name.
#pragma once

#include <string>

#include "records/columns/column_facts.h"

namespace tidemill {

// The most different texts of a category that have a place each.
inline constexpr int64_t kMostCategories = 500;

// Sets the kind, what speaks for it and the open question.
void SetKind(ColumnFacts& facts);

// Whether the name says that whole numbers are codes: "customer_id", "zip".
bool NamesCodes(const std::string& name);

// Whether the name says so, or that different values number the records: "row".
bool NamesAnIdentifier(const std::string& name);

}  // namespace tidemill

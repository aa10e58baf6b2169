// Checks the expressions of a dataset on the records that were read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/remark.h"
#include "storage/spec/dataset_spec.h"
#include "supervisor/checks/dataset_peek.h"

namespace tidemill::supervisor {

// Finds expressions that name unknown columns, or cannot be computed from the columns. `file` is
// the name of the file in messages.
std::vector<config::Remark> CheckExpressions(const std::string& file,
                                             const std::vector<std::string>& columns,
                                             const storage::DatasetSpec& spec);

// Reports how many records at the beginning of a CSV file an expression makes bad, unless
// JudgeParts() reports it. Also reports when `where` filters all tried records.
std::vector<config::Remark> JudgeValues(const DatasetPeek& peek, const storage::DatasetSpec& spec);

// Returns the key of each expression and a text with its values: "true, false, null, ...; of 812
// records 500 are filtered, 3 of them null".
std::vector<std::pair<std::string, std::string>> DescribeValues(const DatasetPeek& peek);

}  // namespace tidemill::supervisor

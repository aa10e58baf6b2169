// What the expressions of a dataset give for the records that a look has shown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/remark.h"
#include "storage/client/dataset_spec.h"
#include "supervisor/pipeline/dataset_peek.h"

namespace tidemill::supervisor {

// Says which expressions name columns that files with these do not have, or cannot be computed from
// them. `file` is their name in messages.
std::vector<config::Remark> CheckExpressions(const std::string& file,
                                             const std::vector<std::string>& columns,
                                             const storage::DatasetSpec& spec);

// Says of how many records at the beginning of a CSV file an expression makes bad ones, where
// JudgeParts() does not. Says when `where` leaves no record of what was tried.
std::vector<config::Remark> JudgeValues(const DatasetPeek& peek, const storage::DatasetSpec& spec);

// Returns the key of each expression and what it gives: "true, false, null, ...; of 812 records 500
// are filtered, 3 of them null".
std::vector<std::pair<std::string, std::string>> DescribeValues(const DatasetPeek& peek);

}  // namespace tidemill::supervisor

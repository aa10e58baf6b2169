// Counts of the values that an expression of a dataset's spec has for the records of a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/spec/dataset_expressions.h"

namespace tidemill::storage {

struct ExpressionTally {
  DatasetExpression::Role role = DatasetExpression::Role::kWhere;
  int64_t num_values = 0;  // Including nulls.
  int64_t num_null = 0;
  // Records with a field that is not what the expression needs.
  int64_t num_bad = 0;
  std::string first_mistake = {};
  std::vector<std::string> first_values = {};  // At most kMaxFirstValues.

  static constexpr size_t kMaxFirstValues = 5;
};

}  // namespace tidemill::storage

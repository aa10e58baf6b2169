// What an expression of a dataset's spec has given for the records of a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/client/dataset_expressions.h"

namespace tidemill::storage {

struct ExpressionTally {
  DatasetExpression::Role role = DatasetExpression::Role::kWhere;
  int64_t num_values = 0;  // With those that are null.
  int64_t num_null = 0;
  // Records with a field that is not what the expression needs.
  int64_t num_bad = 0;
  std::string first_mistake = {};
  std::vector<std::string> first_values = {};  // At most kMostFirstValues.

  static constexpr size_t kMostFirstValues = 5;
};

}  // namespace tidemill::storage

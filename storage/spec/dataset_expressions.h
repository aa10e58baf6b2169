// The expressions in the spec of a dataset: which records are samples, and what their labels and
// times are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "expressions/expression.h"
#include "expressions/field_rows.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::storage {

// The event time of a record, in `where` and in the label.
inline constexpr std::string_view kTimeColumn = "@time";

// The columns of the dataset's records: texts, read as an expression needs them. In a format whose
// columns are not known yet, any name may be a column; in a format without columns, no name is one.
expressions::KnownColumns RecordColumnsOf(const DatasetSpec& spec);

// How these texts are read: a column of event times in the dataset's format, numbers with its
// decimal sign, and the words that mean a missing label. Other times are on the dataset's clock.
expressions::FieldReading FieldReadingOf(const DatasetSpec& spec);

struct DatasetExpression {
  enum class Role { kWhere, kLabel, kEventTime };

  // INVALID_ARGUMENT with the place of the mistake: "column 1 of 'pric > 0': there is no column
  // 'pric'; ...". In a format whose columns are not known yet, any name may be a column.
  absl::StatusOr<std::shared_ptr<const expressions::Program>> Compile(
      const DatasetSpec& spec) const;

  Role role = Role::kWhere;
  std::string_view key;  // In the spec of a dataset.
  std::string text;
};

// Returns the expressions that the spec has, in the order of `Role`.
std::vector<DatasetExpression> ExpressionsOf(const DatasetSpec& spec);

struct CompiledExpression {
  DatasetExpression::Role role = DatasetExpression::Role::kWhere;
  std::shared_ptr<const expressions::Program> program;
};

// INVALID_ARGUMENT with the key and the mistake.
absl::StatusOr<std::vector<CompiledExpression>> CompileExpressions(const DatasetSpec& spec);

}  // namespace tidemill::storage

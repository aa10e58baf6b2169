// Expressions over stored samples: the fields of their records, @time and @label.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "batch/batch.h"
#include "expressions/evaluation.h"
#include "expressions/expression.h"
#include "expressions/field_rows.h"
#include "storage/fields/record_fields.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::samples {

inline constexpr std::string_view kLabelColumn = "@label";

// The columns that an expression may name. The fields of records are texts, read as the expression
// needs them. @time is a time. @label is the name of the class, the number of a class without a
// name, or a real number.
expressions::KnownColumns KnownColumnsOf(const storage::DatasetSpec& spec);

// Returns why the text is no such expression. `wanted`: as for expressions::Compile().
absl::Status CheckExpression(const storage::DatasetSpec& spec, const std::string& text,
                             std::optional<expressions::Type> wanted);

// Computes an expression for stored samples. A sample of a series is its last row. Movable.
// Thread-compatible.
class SampleExpression {
 public:
  // INVALID_ARGUMENT for a mistake, with its place, and when samples of this format have no fields.
  static absl::StatusOr<SampleExpression> Make(const storage::DatasetSpec& spec,
                                               const std::string& text,
                                               std::optional<expressions::Type> wanted);

  expressions::Type type() const { return rows_.evaluation().program().type; }
  // Whether it needs the payload of samples.
  bool reads_records() const { return !fields_.names().empty(); }

  // Takes the results for the rows [begin, begin + n).
  using Sink = std::function<void(int64_t begin, const expressions::Evaluation& results)>;
  // `samples` has event_time, the label columns if there are any and, for an expression that reads
  // records, payload. A field that is not what the expression needs is null, and counted, and so is
  // the result where texts are too long (expressions::kMaxTextBytes).
  absl::Status Run(const batch::Batch& samples, const Sink& sink);

  int64_t num_unfit() const { return num_unfit_; }
  // A description of the first of them: "price is 'abc', not a number".
  const std::string& first_unfit() const { return first_unfit_; }

 private:
  SampleExpression(expressions::FieldRows rows, RecordFields fields, storage::LabelSpec label);

  // The columns of a batch; nullptr for a missing one.
  struct Columns {
    const batch::Column* times;
    const batch::Column* payloads;
    const batch::Column* classes;
    const batch::Column* reals;
  };
  void SetRow(const Columns& columns, int64_t row);
  void SetLabel(const Columns& columns, int64_t row);
  void CountUnfit(std::string_view reason);
  void SetText(size_t column, std::optional<std::string_view> text);

  expressions::FieldRows rows_;
  RecordFields fields_;
  storage::LabelSpec label_;
  std::vector<size_t> field_places_;  // The places of the fields among the expression's columns.
  std::optional<size_t> time_place_;
  std::optional<size_t> label_place_;
  int64_t num_unfit_ = 0;
  std::string first_unfit_;
};

}  // namespace tidemill::samples

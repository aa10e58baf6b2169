// Computes the expressions of a dataset's spec for records: whether they are samples, their labels
// and their times.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"

#include "base/status.h"
#include "base/time.h"
#include "expressions/field_rows.h"
#include "storage/formats/expression_tally.h"
#include "storage/spec/dataset_expressions.h"
#include "storage/spec/dataset_spec.h"
#include "storage/spec/label_reader.h"

namespace tidemill::storage {

// One expression, for one record after another. Thread-compatible.
class RecordExpression {
 public:
  // Returns the text of a field; std::nullopt when it is missing. The view is valid until the next
  // call. A status when the field has another type.
  using FieldText = absl::FunctionRef<absl::StatusOr<std::optional<std::string_view>>(size_t)>;

  // Adds the fields that it reads to `fields`, each once.
  static absl::StatusOr<RecordExpression> Make(const CompiledExpression& compiled,
                                               expressions::FieldReading reading,
                                               std::vector<std::string>& fields);

  bool reads_time() const { return reads_time_; }

  // INVALID_ARGUMENT, or the status of `text`, when a field is not what the expression needs, or
  // the texts that it makes are too long (expressions::kMaxTextBytes).
  // `time` is used only if reads_time().
  absl::Status Compute(FieldText text, std::optional<Timestamp> time);

  // The tally of everything computed so far.
  const ExpressionTally& tally() const { return tally_; }

  // The type of the result, and the result of Compute().
  expressions::Type type() const { return rows_.evaluation().program().type; }
  template <typename T>
  T Value() const {
    return rows_.evaluation().Values<T>().front();
  }

 private:
  explicit RecordExpression(expressions::FieldRows rows) : rows_(std::move(rows)) {}
  absl::Status SetFields(FieldText text, std::optional<Timestamp> time);
  void Count();

  expressions::FieldRows rows_;
  std::vector<std::optional<size_t>> fields_;  // By column; std::nullopt for the event time.
  bool reads_time_ = false;
  ExpressionTally tally_;
};

// What is known about a record that is a sample.
struct SampleFacts {
  Timestamp time;
  Label label;
};

// The expressions of a dataset, for the records of one file. Thread-compatible.
class RecordExpressions {
 public:
  // `compiled` are those of `spec`. `labels` must outlive the result. INVALID_ARGUMENT when the
  // format of a time is unknown.
  static absl::StatusOr<RecordExpressions> Make(const DatasetSpec& spec,
                                                const std::vector<CompiledExpression>& compiled,
                                                const LabelReader& labels);

  bool any() const { return where_ || label_ || time_; }
  bool give_time() const { return time_.has_value(); }

  // The tallies of the expressions, in the order of their roles.
  std::vector<ExpressionTally> Tallies() const;

  // The names of the fields that the expressions read, each once. The argument of FieldText is an
  // index into them.
  const std::vector<std::string>& fields() const { return fields_; }

  using OtherTime = absl::FunctionRef<absl::StatusOr<Timestamp>()>;
  using OtherLabel = absl::FunctionRef<absl::StatusOr<Label>()>;
  // Returns std::nullopt for a record that the spec filters. `time` and `label` read the time and
  // the label where no expression computes them. For a filtered record nothing else is computed,
  // except a time that `where` reads. A status when it is a bad record.
  absl::StatusOr<std::optional<SampleFacts>> FactsOf(RecordExpression::FieldText text,
                                                     OtherTime time, OtherLabel label);

 private:
  explicit RecordExpressions(const LabelReader& labels) : labels_(&labels) {}
  absl::StatusOr<Timestamp> ComputeTime(RecordExpression::FieldText text);
  absl::StatusOr<Label> ComputeLabel(RecordExpression::FieldText text,
                                     std::optional<Timestamp> time);

  const LabelReader* labels_;
  std::vector<std::string> fields_;
  std::optional<RecordExpression> where_;
  std::optional<RecordExpression> label_;
  std::optional<RecordExpression> time_;
};

}  // namespace tidemill::storage

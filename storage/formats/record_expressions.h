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
#include "storage/formats/format.h"
#include "storage/formats/unknown_fact.h"
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
  // The places of what it reads among the fields of Make(); std::nullopt for the event time.
  const std::vector<std::optional<size_t>>& fields() const { return fields_; }

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

// The facts about a record that is a sample.
struct SampleFacts {
  Timestamp time;
  Label label;
};

// A record that is not in a dataset: its time where it has none, and where it is noted what it
// lacks.
struct ForeignRecord {
  Timestamp present;
  int64_t record = 0;
  std::vector<UnknownFact>& unknown;

  // Returns std::nullopt for a record of a dataset. `found` must outlive the result.
  static std::optional<ForeignRecord> At(int64_t position, const FileInput& input,
                                         IndexedFile& found) {
    if (!input.present) return std::nullopt;
    return ForeignRecord{.present = *input.present, .record = position, .unknown = found.unknown};
  }
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
  //
  // A record that is not in a dataset, `foreign`, needs neither a time nor a label. Where `where`
  // reads a field of the label, and the record has neither the field nor a label, `where` says
  // nothing about it.
  absl::StatusOr<std::optional<SampleFacts>> FactsOf(
      RecordExpression::FieldText text, OtherTime time, OtherLabel label,
      const std::optional<ForeignRecord>& foreign = std::nullopt);

 private:
  explicit RecordExpressions(const LabelReader& labels) : labels_(&labels) {}
  // Finds the fields of the label that `where` reads.
  void FindConditionsOfLabel(const DatasetSpec& spec);
  // Whether `where` cannot be asked, because a field of the label is missing, or unreadable.
  bool LacksCondition(RecordExpression::FieldText text, bool label_is_unreadable) const;
  absl::StatusOr<std::optional<SampleFacts>> FactsOfForeign(RecordExpression::FieldText text,
                                                            OtherTime time, OtherLabel label,
                                                            const ForeignRecord& foreign);
  absl::StatusOr<Timestamp> ComputeTime(RecordExpression::FieldText text);
  absl::StatusOr<Label> ComputeLabel(RecordExpression::FieldText text,
                                     std::optional<Timestamp> time);

  const LabelReader* labels_;
  std::vector<std::string> fields_;
  std::vector<size_t> label_fields_;  // The fields that both `where` and the label read.
  std::optional<RecordExpression> where_;
  std::optional<RecordExpression> label_;
  std::optional<RecordExpression> time_;
};

}  // namespace tidemill::storage

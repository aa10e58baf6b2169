// Conditions on stored samples, as people write them to find single samples and delete them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "expressions/field_rows.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::samples {

// The columns that storage knows without reading a sample: @key, @file (the path below the
// dataset's folder), @file.1, @file.2 ... (the parts of that path), besides @time and @label.
inline constexpr std::string_view kKeyColumn = "@key";
inline constexpr std::string_view kFileColumn = "@file";

// Returns 2 for "@file.2"; std::nullopt for other names.
std::optional<size_t> PartOfFile(std::string_view name);

// An expression over the fields of a record and what storage knows of its sample. It reads texts as
// `where` of the dataset does: with its decimal sign, its words for missing values and the format
// of its times. Movable. Thread-compatible.
class RecordCondition {
 public:
  // INVALID_ARGUMENT for a mistake, with its place, and for a condition that names no column.
  static absl::StatusOr<RecordCondition> Make(const storage::DatasetSpec& spec,
                                              const std::string& text);

  // The columns that it names, each once.
  const std::vector<std::string>& columns() const { return rows_.columns(); }

  // What a field was for the condition. An unfit one is not what the condition needs, such as a
  // text where it needs a number; it counts as null.
  enum class Field : uint8_t { kRead, kNull, kUnfit };

  // Computes the condition for a record. `values` has the text of each column, std::nullopt for one
  // that the record lacks; those of @time and @label are as people read them. `time` is the time of
  // the sample.
  expressions::Truth Judge(std::span<const std::optional<std::string_view>> values, Timestamp time);

  // About the last Judge(), by column.
  std::span<const Field> fields() const { return fields_; }
  // By column, what the first unfit field is: "price is 'abc', not a number".
  std::span<const std::string> first_unfit() const { return first_unfit_; }

 private:
  enum class Kind : uint8_t { kText, kTime, kNumber };

  RecordCondition(expressions::FieldRows rows, const storage::DatasetSpec& spec);
  void Set(size_t column, std::optional<std::string_view> text, Timestamp time);

  expressions::FieldRows rows_;
  std::vector<Kind> kinds_;  // By column.
  std::vector<Field> fields_;
  std::vector<std::string> first_unfit_;
};

}  // namespace tidemill::samples

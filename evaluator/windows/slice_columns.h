// Assigns each sample of a window to a slice, by columns of its records.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/client/slice_spec.h"
#include "records/json_fields.h"
#include "storage/fields/sample_expression.h"
#include "storage/spec/dataset_spec.h"
#include "transform/engine/sample_schema.h"
#include "transform/ops/records/csv_fields.h"
#include "transform/ops/records/csv_rows.h"

namespace tidemill::evaluator {

// Numbers the values of the columns in the order in which they come. A series has the values of its
// last row. One object serves one window. Thread-compatible.
class SliceColumns {
 public:
  // The number of the slice `other`. It takes a value that is not a number where there are bins, a
  // field that is missing or a list, a record that cannot be read, and every further value after
  // 10,000 different ones.
  static constexpr int32_t kOther = -1;

  // Takes the slices by columns and by expressions among `slices`; the latter need `dataset`.
  // FAILED_PRECONDITION when the samples have no columns. INVALID_ARGUMENT when they lack one of
  // these columns, and for a mistake in an expression.
  static absl::StatusOr<SliceColumns> Make(std::span<const SliceSpec> slices,
                                           const transform::SampleSchema& samples,
                                           const storage::DatasetSpec* dataset = nullptr);

  // Returns, for each column, the number of each sample's value.
  absl::StatusOr<std::vector<std::vector<int32_t>>> Read(const batch::Batch& samples);

  size_t size() const { return columns_.size(); }
  // Returns a label such as `station=Dingling`. Values are shown in up to 80 bytes of printable
  // text.
  std::string Label(size_t column, int32_t value) const;

 private:
  struct Column {
    std::string name;
    size_t field = 0;
    std::vector<double> bins;
    std::vector<std::string> labels;
    std::shared_ptr<samples::SampleExpression> expression = nullptr;
    std::map<std::string, int32_t, std::less<>> by_value = {};
    std::map<std::string, int32_t, std::less<>> by_label = {};
  };

  SliceColumns(const transform::SampleSchema& samples, std::vector<Column> columns);
  static std::vector<std::string> NamesOf(const std::vector<Column>& columns);
  static absl::StatusOr<Column> ColumnOf(const ColumnSlices& spec,
                                         const transform::SampleSchema& samples);
  static absl::StatusOr<Column> ColumnOf(const ExpressionSlices& spec,
                                         const storage::DatasetSpec* dataset);
  int32_t NumberOf(std::string_view text, Column& column);
  absl::Status Compute(const batch::Batch& samples, Column& column, std::vector<int32_t>& numbers);

  // Fills in `values_`, one for each column. Absent ones belong to `other`.
  void ReadRecord(std::string_view payload);
  void ReadCsv(std::string_view payload);
  void ReadJson(std::string_view payload);

  transform::PayloadKind payload_;
  bool is_series_;
  NumberNotations numbers_;
  transform::CsvRows rows_;
  transform::CsvFields fields_;
  JsonFields json_;
  std::vector<std::optional<std::string_view>> values_;
  std::vector<Column> columns_;
};

}  // namespace tidemill::evaluator

// Which slice of a window each sample belongs to, by columns of the records it is made of.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/client/slice_spec.h"
#include "records/json_fields.h"
#include "transform/engine/sample_schema.h"
#include "transform/ops/csv_fields.h"
#include "transform/ops/csv_rows.h"

namespace tidemill::evaluator {

// Numbers the values of the columns as they come; of a series those of its last row. One serves for
// one window. Thread-compatible.
class SliceColumns {
 public:
  // What a value is that is left to `other`: no number where there are bins, a field that is
  // missing or a list, a record that cannot be read, one more after 10,000 different values.
  static constexpr int32_t kOther = -1;

  // Takes the ColumnSlices of `slices`. FAILED_PRECONDITION for samples that have no columns,
  // INVALID_ARGUMENT for a column that they have not.
  static absl::StatusOr<SliceColumns> Make(std::span<const SliceSpec> slices,
                                           const transform::SampleSchema& samples);

  // For each column the number of each sample's value.
  absl::StatusOr<std::vector<std::vector<int32_t>>> Read(const batch::Batch& samples);

  size_t size() const { return columns_.size(); }
  // `station=Dingling`; values are shown in up to 80 bytes of printable text.
  std::string Label(size_t column, int32_t value) const;

 private:
  struct Column {
    std::string name;
    size_t field = 0;
    std::vector<double> bins;
    std::vector<std::string> labels;
    std::map<std::string, int32_t, std::less<>> by_value = {};
    std::map<std::string, int32_t, std::less<>> by_label = {};
  };

  SliceColumns(const transform::SampleSchema& samples, std::vector<Column> columns);
  static std::vector<std::string> NamesOf(const std::vector<Column>& columns);
  static int32_t NumberOf(std::string_view value, Column& column);

  // Fills in `values_`, one for each column; absent ones are left to `other`.
  void ReadRecord(std::string_view payload);
  void ReadCsv(std::string_view payload);
  void ReadJson(std::string_view payload);

  transform::PayloadKind payload_;
  bool is_series_;
  transform::CsvRows rows_;
  transform::CsvFields fields_;
  JsonFields json_;
  std::vector<std::optional<std::string_view>> values_;
  std::vector<Column> columns_;
};

}  // namespace tidemill::evaluator

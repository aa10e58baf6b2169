#include "storage/sample_columns.h"

#include <algorithm>
#include <span>
#include <utility>

namespace tidemill::storage {

namespace {

template <typename T>
void AddLabel(const batch::Column* column, int64_t row, std::vector<T>& values,
              std::vector<bool>& has_value) {
  const bool valid = column != nullptr && column->IsValid(row);
  values.push_back(valid ? column->Values<T>()[static_cast<size_t>(row)] : T{0});
  has_value.push_back(valid);
}

template <typename T>
batch::Column LabelColumn(std::string_view name, const std::vector<T>& values,
                          const std::vector<bool>& has_value) {
  batch::Column column = batch::MakeColumn<T>(name, values);
  if (std::find(has_value.begin(), has_value.end(), false) == has_value.end()) return column;
  column.validity = batch::Buffer::Allocate((has_value.size() + 7) / 8);
  const std::span<uint8_t> bits = column.validity.MutableAs<uint8_t>();
  for (size_t row = 0; row < has_value.size(); ++row) {
    if (has_value[row]) bits[row / 8] |= static_cast<uint8_t>(1U << (row % 8));
  }
  return column;
}

}  // namespace

void SampleColumns::Add(const SampleLocation& location) {
  keys_.push_back(location.key());
  event_times_.push_back(location.event_time());
  const SegmentColumns& columns = *location.segment->columns;
  AddLabel(columns.class_label, location.row, class_labels_, has_class_label_);
  AddLabel(columns.real_label, location.row, real_labels_, has_real_label_);
}

absl::StatusOr<batch::Batch> SampleColumns::Finish(bool with_labels) const {
  batch::Batch batch(num_rows());
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys_)));
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, event_times_)));
  if (!with_labels) return batch;
  RETURN_IF_ERROR(
      batch.Set(LabelColumn(batch::kClassLabelColumn, class_labels_, has_class_label_)));
  RETURN_IF_ERROR(batch.Set(LabelColumn(batch::kRealLabelColumn, real_labels_, has_real_label_)));
  return batch;
}

}  // namespace tidemill::storage

#include "storage/index/samples_to_delete.h"

#include "storage/segments/record_identity.h"

namespace tidemill::storage {

namespace {

// DATA_LOSS when a record's hash or label is damaged.
absl::StatusOr<std::vector<SampleToDelete>> SamplesIn(const DatasetIndex& index,
                                                      std::span<const int64_t> keys) {
  std::vector<SampleToDelete> samples;
  samples.reserve(keys.size());
  for (const int64_t key : keys) {
    samples.push_back({.key = key});
    const std::optional<SampleLocation> sample = index.Find(key);
    if (!sample) continue;
    const SegmentColumns& columns = *sample->segment->columns;
    const auto row = static_cast<size_t>(sample->row);
    if (!columns.AreSound(columns.lookup.subspan(row, 1)) ||
        !columns.RowsAreSound(sample->row, sample->row + 1, /*with_labels=*/true)) {
      return DamagedColumns(index.dataset());
    }
    samples.back().record_identity = RecordIdentity(
        columns.lookup[row].hash, ValueAt<int64_t>(*columns.class_label, sample->row),
        ValueAt<double>(*columns.real_label, sample->row));
  }
  return samples;
}

}  // namespace

absl::StatusOr<std::vector<SampleToDelete>> SamplesToDelete(SampleIndex& indexes, DatasetId dataset,
                                                            std::span<const int64_t> keys) {
  ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> index, indexes.Refresh(dataset));
  absl::StatusOr<std::vector<SampleToDelete>> samples = SamplesIn(*index, keys);
  if (!absl::IsDataLoss(samples.status())) return samples;
  ASSIGN_OR_RETURN(index, indexes.Refresh(dataset));
  return SamplesIn(*index, keys);
}

}  // namespace tidemill::storage

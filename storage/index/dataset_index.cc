#include "storage/index/dataset_index.h"

#include <algorithm>
#include <utility>

namespace tidemill::storage {

namespace {

// Whether the segments of `before` are the first ones of `now`, so that its order can be extended.
bool StartsWith(const std::vector<IndexedSegment>& now, const std::vector<IndexedSegment>& before) {
  return before.size() <= now.size() &&
         std::equal(before.begin(), before.end(), now.begin(),
                    [](const IndexedSegment& a, const IndexedSegment& b) {
                      return a.segment_id == b.segment_id;
                    });
}

}  // namespace

absl::Status DamagedColumns(DatasetId dataset) {
  return DataLoss("a column file of dataset {} is damaged", dataset.value);
}

FileId SampleLocation::file() const {
  if (segment->file.has_value()) return *segment->file;
  return {segment->columns->file_id[static_cast<size_t>(row)]};
}

DatasetIndex::DatasetIndex(DatasetIndexParts parts, const DatasetIndex* before)
    : parts_(std::move(parts)) {
  for (IndexedSegment& segment : parts_.segments) {
    first_keys_.push_back(segment.first_key);
    segment.first_row = num_rows_;
    num_rows_ += segment.num_samples;
  }
  if (before == nullptr) return;
  if (before->parts_.tombstones == parts_.tombstones) {
    MutexLock lock_of_before(before->mutex_);
    MutexLock lock(mutex_);
    deletions_ = before->deletions_;
  }
  const std::shared_ptr<const EventTimeOrder> order = before->built_order();
  if (order == nullptr || !StartsWith(parts_.segments, before->parts_.segments)) return;
  MutexLock lock(mutex_);
  order_ = parts_.segments.size() == before->parts_.segments.size()
               ? order
               : std::make_shared<const EventTimeOrder>(*order, parts_.segments);
}

std::optional<SampleLocation> DatasetIndex::Find(int64_t key) const {
  const IndexedSegment* const segment = SegmentOf(key);
  if (segment == nullptr) return std::nullopt;
  return SampleLocation{segment, key - segment->first_key};
}

bool DatasetIndex::IsDeleted(int64_t key, int64_t sequence) const {
  if (parts_.tombstones->empty()) return false;
  const auto it = parts_.tombstones->find(key);
  return it != parts_.tombstones->end() && it->second <= sequence;
}

std::shared_ptr<const std::vector<Deletion>> DatasetIndex::deletions() const {
  MutexLock lock(mutex_);
  if (deletions_ == nullptr) {
    std::vector<Deletion> sorted;
    sorted.reserve(parts_.tombstones->size());
    for (const auto& [key, sequence] : *parts_.tombstones) sorted.push_back({key, sequence});
    std::sort(sorted.begin(), sorted.end(),
              [](const Deletion& a, const Deletion& b) { return a.key < b.key; });
    deletions_ = std::make_shared<const std::vector<Deletion>>(std::move(sorted));
  }
  return deletions_;
}

const std::string* DatasetIndex::PathOf(FileId file) const {
  const auto it = parts_.paths->find(file);
  return it == parts_.paths->end() ? nullptr : &it->second;
}

SampleLocation DatasetIndex::LocationOf(int64_t row) const {
  const IndexedSegment& segment = SegmentOfRow(parts_.segments, row);
  return {&segment, row - segment.first_row};
}

std::shared_ptr<const EventTimeOrder> DatasetIndex::built_order() const {
  MutexLock lock(mutex_);
  return order_ != nullptr && order_->is_sound() ? order_ : nullptr;
}

const EventTimeOrder& DatasetIndex::order() const {
  MutexLock lock(mutex_);
  if (order_ == nullptr) order_ = std::make_shared<const EventTimeOrder>(parts_.segments);
  return *order_;
}

absl::StatusOr<int64_t> DatasetIndex::LowerBound(Cut cut) const {
  const EventTimeOrder& by_time = order();
  if (!by_time.is_sound()) return DamagedColumns(parts_.dataset);
  int64_t from = 0;
  int64_t to = num_rows_;
  while (from < to) {
    const int64_t middle = from + (to - from) / 2;
    const SampleLocation location = LocationOf(by_time.RowAt(middle));
    if (!location.segment->columns->TimeIsSound(location.row)) {
      return DamagedColumns(parts_.dataset);
    }
    if (Cut{{location.event_time()}, {location.key()}} < cut) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

bool DatasetIndex::is_damaged() const {
  return std::ranges::any_of(
      parts_.segments, [](const IndexedSegment& segment) { return segment.columns->is_damaged(); });
}

bool DatasetIndex::AllAreSound() const {
  return std::ranges::all_of(parts_.segments, [](const IndexedSegment& segment) {
    return segment.columns->AllAreSound();
  });
}

}  // namespace tidemill::storage

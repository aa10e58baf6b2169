#include "storage/read/dataset_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

namespace {

constexpr int kMaxIntervals = 1000;
constexpr size_t kMaxClasses = 100'000;
constexpr size_t kMaxFiles = 100;

// Calls `visit(segment, row)` for each sample that is not deleted.
template <typename Visit>
void ForEachSample(const DatasetIndex& index, const Visit& visit) {
  const bool any_deleted = !index.parts().tombstones->empty();
  for (const IndexedSegment& segment : index.parts().segments) {
    const int64_t num_rows = segment.columns->num_rows();
    for (int64_t row = 0; row < num_rows; ++row) {
      if (any_deleted && index.IsDeleted(segment.first_key + row, index.tombstone_sequence())) {
        continue;
      }
      visit(segment, row);
    }
  }
}

struct TimeRange {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = std::numeric_limits<int64_t>::min();
};

TimeRange RangeOf(const DatasetIndex& index) {
  TimeRange range;
  ForEachSample(index, [&](const IndexedSegment& segment, int64_t row) {
    const int64_t time = segment.columns->event_time[static_cast<size_t>(row)];
    range.first = std::min(range.first, time);
    range.last = std::max(range.last, time);
  });
  return range;
}

std::vector<DatasetStatistics::Interval> CutRange(const TimeRange& range, int num_intervals) {
  std::vector<DatasetStatistics::Interval> intervals;
  if (range.first > range.last) return intervals;
  // Unsigned: two times may be further apart than an int64 can say.
  const uint64_t span = static_cast<uint64_t>(range.last) - static_cast<uint64_t>(range.first);
  const auto width = static_cast<int64_t>(span / static_cast<uint64_t>(num_intervals) + 1);
  for (int64_t from = range.first; static_cast<int>(intervals.size()) < num_intervals;) {
    int64_t to = 0;
    if (__builtin_add_overflow(from, width, &to)) to = std::numeric_limits<int64_t>::max();
    intervals.push_back({.from = from, .to = to});
    if (to > range.last) break;
    from = to;
  }
  return intervals;
}

// Mean and deviation in one pass (Welford 1962).
class RealLabelMoments {
 public:
  void Add(double value) {
    labels_.min = labels_.num_samples == 0 ? value : std::min(labels_.min, value);
    labels_.max = labels_.num_samples == 0 ? value : std::max(labels_.max, value);
    ++labels_.num_samples;
    const double before = value - labels_.mean;
    labels_.mean += before / static_cast<double>(labels_.num_samples);
    squares_ += before * (value - labels_.mean);
  }

  std::optional<DatasetStatistics::RealLabels> Finish() const {
    if (labels_.num_samples == 0) return std::nullopt;
    DatasetStatistics::RealLabels labels = labels_;
    labels.standard_deviation = std::sqrt(squares_ / static_cast<double>(labels.num_samples));
    return labels;
  }

 private:
  DatasetStatistics::RealLabels labels_;
  double squares_ = 0;
};

std::vector<DatasetStatistics::File> LargestOf(const absl::flat_hash_map<FileId, int64_t>& counts) {
  std::vector<DatasetStatistics::File> files;
  for (const auto& [id, count] : counts) files.push_back({.id = id, .num_samples = count});
  const size_t kept = std::min(files.size(), kMaxFiles);
  std::partial_sort(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(kept), files.end(),
                    [](const auto& a, const auto& b) {
                      return a.num_samples != b.num_samples ? a.num_samples > b.num_samples
                                                            : a.id < b.id;
                    });
  files.resize(kept);
  return files;
}

}  // namespace

absl::StatusOr<DatasetStatistics> CollectStatistics(const DatasetIndex& index, int num_intervals) {
  if (num_intervals < 1 || num_intervals > kMaxIntervals) {
    return InvalidArgument("{} intervals are not possible; write a number from 1 to {}",
                           num_intervals, kMaxIntervals);
  }
  DatasetStatistics statistics;
  statistics.intervals = CutRange(RangeOf(index), num_intervals);
  absl::flat_hash_map<int64_t, int64_t> classes;
  absl::flat_hash_map<FileId, int64_t> files;
  RealLabelMoments moments;
  ForEachSample(index, [&](const IndexedSegment& segment, int64_t row) {
    const SegmentColumns& columns = *segment.columns;
    const auto at = static_cast<size_t>(row);
    const auto first = static_cast<uint64_t>(statistics.intervals.front().from);
    const auto width = static_cast<uint64_t>(statistics.intervals.front().to) - first;
    ++statistics.intervals[(static_cast<uint64_t>(columns.event_time[at]) - first) / width]
          .num_samples;
    if (columns.class_label != nullptr && columns.class_label->IsValid(row)) {
      if (classes.size() <= kMaxClasses) ++classes[columns.class_label->Values<int64_t>()[at]];
    } else {
      ++statistics.num_without_class;
    }
    if (columns.real_label != nullptr && columns.real_label->IsValid(row)) {
      moments.Add(columns.real_label->Values<double>()[at]);
    }
    ++files[SampleLocation{&segment, row}.file()];
  });
  if (classes.size() > kMaxClasses) {
    return ResourceExhausted("the dataset has more than {} classes", kMaxClasses);
  }
  statistics.classes = {classes.begin(), classes.end()};
  statistics.real_labels = moments.Finish();
  statistics.files = LargestOf(files);
  return statistics;
}

}  // namespace tidemill::storage

#include "selector/histograms.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tidemill::selector {

int64_t ClassCounts::Of(int64_t label) const {
  if (label >= 0 && label < kFew) return few_[static_cast<size_t>(label)];
  const auto found = others_.find(label);
  return found == others_.end() ? 0 : found->second;
}

std::vector<int64_t> ClassCounts::Labels() const {
  std::vector<int64_t> labels;
  for (int64_t label = 0; label < kFew; ++label) {
    if (few_[static_cast<size_t>(label)] > 0) labels.push_back(label);
  }
  for (const auto& [label, count] : others_) labels.push_back(label);
  std::sort(labels.begin(), labels.end(), [&](int64_t a, int64_t b) {
    const int64_t of_a = Of(a);
    const int64_t of_b = Of(b);
    return of_a != of_b ? of_a > of_b : a < b;
  });
  return labels;
}

void TimeCounts::Add(std::span<const int64_t> times, size_t kind) {
  if (times.empty()) return;
  if (!first_) first_ = times.front();
  TIDEMILL_CHECK(times.front() >= *first_);
  TIDEMILL_DCHECK(std::ranges::is_sorted(times));
  while (IndexOf(times.back()) >= kMaxIntervals) {
    ++log_length_;
    for (auto& counts : counts_) {
      for (size_t i = 0; i < kMaxIntervals; ++i) {
        const int64_t count = std::exchange(counts[i], 0);
        counts[i / 2] += count;
      }
    }
  }
  for (const int64_t time : times) ++counts_[kind][IndexOf(time)];
}

std::vector<TimeCounts::Interval> TimeCounts::Intervals() const {
  std::vector<Interval> intervals;
  if (!first_) return intervals;
  const int64_t length = int64_t{1} << log_length_;
  size_t num_used = 0;
  for (size_t i = 0; i < kMaxIntervals; ++i) {
    const int64_t from = *first_ + static_cast<int64_t>(i) * length;
    Interval interval{.from = from, .to = from + length};
    for (const auto& counts : counts_) {
      interval.counts.push_back(counts[i]);
      if (counts[i] > 0) num_used = i + 1;
    }
    intervals.push_back(std::move(interval));
  }
  intervals.resize(num_used);
  return intervals;
}

}  // namespace tidemill::selector

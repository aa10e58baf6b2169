// Counts samples by class and over time, in one pass.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "selector/choosing/chooser.h"

namespace tidemill::selector {

inline constexpr size_t kMaxClasses = 1000;
inline constexpr size_t kMaxIntervals = 20;

// The number of samples of each class, including kNoClass. Thread-compatible.
class ClassCounts {
 public:
  void Add(int64_t label, int64_t count = 1) {
    if (label >= 0 && label < kFew) {
      few_[static_cast<size_t>(label)] += count;
    } else {
      others_[label] += count;
    }
  }
  void Add(std::span<const int64_t> labels) {
    for (const int64_t label : labels) Add(label);
  }
  int64_t Of(int64_t label) const;
  // Returns the labels that have samples. The most frequent one comes first; among equals, the
  // smaller label comes first.
  std::vector<int64_t> Labels() const;

 private:
  static constexpr int64_t kFew = 1024;
  std::vector<int64_t> few_ = std::vector<int64_t>(kFew);
  absl::flat_hash_map<int64_t, int64_t> others_;
};

// Counts samples in intervals of equal length from the first time on. The length is the shortest
// power of two of microseconds for which kMaxIntervals are enough. Several kinds of samples are
// counted at once. Thread-compatible.
class TimeCounts {
 public:
  explicit TimeCounts(size_t num_kinds) : counts_(num_kinds) {}

  // Adds samples. The very first time must be the least of all. The samples of one call are in
  // order.
  void Add(std::span<const int64_t> times, size_t kind);

  // One interval. The result includes the empty intervals between others.
  struct Interval {
    int64_t from = 0;
    int64_t to = 0;
    std::vector<int64_t> counts = {};  // The number of samples of each kind.
  };
  std::vector<Interval> Intervals() const;

 private:
  size_t IndexOf(int64_t time) const {
    return static_cast<size_t>((time - *first_) >> log_length_);
  }

  std::optional<int64_t> first_;
  int log_length_ = 0;
  std::vector<std::array<int64_t, kMaxIntervals>> counts_;
};

}  // namespace tidemill::selector

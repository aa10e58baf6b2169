#include "preprocess/client/own_splits.h"

#include <algorithm>

namespace tidemill::preprocess {

std::optional<std::pair<int64_t, int64_t>> OwnSplits::Take(int64_t reported, int64_t done_before) {
  const auto num_held = std::ssize(Held(done_before));
  const int64_t most_held = std::max<int64_t>(1, window_ / split_);
  // The first split that begins at the window's end or after it.
  const int64_t after_window = (reported + window_ + split_ - 1) / split_ * split_;
  const int64_t from = std::max(next_, after_window);
  if (num_held >= most_held || from >= end_) return std::nullopt;
  next_ = from + split_;
  held_.insert(from);
  return std::pair(from, std::min(next_, end_));
}

std::vector<int64_t> OwnSplits::Held(int64_t done_before) {
  std::erase_if(held_, [&](int64_t from) { return from + split_ <= done_before; });
  return {held_.begin(), held_.end()};
}

}  // namespace tidemill::preprocess

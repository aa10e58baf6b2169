// Numbers of many samples, and a choice among them: what all algorithms of this folder take and
// give.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tidemill::subsets {

// Row r is values[r * width, (r + 1) * width). The memory is someone else's.
struct Rows {
  std::span<const float> values;
  int64_t num_rows = 0;
  int64_t width = 0;

  std::span<const float> Row(int64_t row) const {
    return values.subspan(static_cast<size_t>(row * width), static_cast<size_t>(width));
  }
};

// Rows in the order in which they were chosen. With weights, sum(w x) / rows.size() is an estimate
// of the mean of x over all rows that were not left out; unbiased where the algorithm says so. No
// weights: 1 each.
struct Choice {
  std::vector<int64_t> rows;
  std::vector<double> weights;
  // Rows that could not be judged, such as those with a score that is no number.
  int64_t num_left_out = 0;
};

}  // namespace tidemill::subsets

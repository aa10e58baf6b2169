// Numbers of many samples, and a choice among them: the inputs and results of all algorithms of
// this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"

namespace tidemill::subsets {

// Row r is values[r * width, (r + 1) * width). The memory belongs to the caller.
struct Rows {
  std::span<const float> values;
  int64_t num_rows = 0;
  int64_t width = 0;

  std::span<const float> Row(int64_t row) const {
    TIDEMILL_DCHECK(row >= 0 && row < num_rows);
    return values.subspan(static_cast<size_t>(row * width), static_cast<size_t>(width));
  }
};

// The chosen rows, in the order of the choice. With weights, sum(w x) / rows.size() is an estimate
// of the mean of x over all rows that were not left out. It is unbiased where the algorithm's
// header says so. Empty weights mean 1 each.
struct Choice {
  std::vector<int64_t> rows;
  std::vector<double> weights;
  // The number of rows without a usable score, such as NaN.
  int64_t num_left_out = 0;
};

}  // namespace tidemill::subsets

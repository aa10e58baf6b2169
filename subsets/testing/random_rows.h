// Rows of random numbers for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numbers/random.h"
#include "subsets/rows.h"

namespace tidemill::subsets::testing {

// Owns the numbers of its rows().
struct OwnedRows {
  std::vector<float> values;
  int64_t num_rows = 0;
  int64_t width = 0;

  Rows rows() const { return {values, num_rows, width}; }
};

// Uniform in [-1, 1). With clusters, rows are around one of `num_clusters` distant points each.
inline OwnedRows RandomRows(int64_t num_rows, int64_t width, int64_t seed,
                            int64_t num_clusters = 0) {
  const RandomKey key{.seed = seed, .purpose = "random_rows"};
  OwnedRows owned{{}, num_rows, width};
  for (int64_t row = 0; row < num_rows; ++row) {
    for (int64_t column = 0; column < width; ++column) {
      double value = 2 * RandomUnit(key, row * width + column) - 1;
      if (num_clusters > 0) {
        const int64_t cluster = row % num_clusters;
        value += 20 * RandomUnit(key, -1 - (cluster * width + column));
      }
      owned.values.push_back(static_cast<float>(value));
    }
  }
  return owned;
}

}  // namespace tidemill::subsets::testing

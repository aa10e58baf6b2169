// Chooses rows so that every row is close to one of them.
//      . 2               1: the start, nearest to the mean
//    .      .  .         2: the row farthest from 1
//         1     .        3: the row farthest from both, and so on
//      .    .
//   3 .                  The distance of the row that would come next is the radius.
#pragma once

#include <cstdint>
#include <optional>

#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

struct Centers {
  // The rows in the order of the choice, without weights.
  Choice choice;
  // For each number of chosen rows, the Euclidean distance of the farthest row from its nearest
  // center. radii[0] is the distance for the first row alone.
  std::vector<double> radii;
  // For each center, the number of rows for which it is the nearest. Among equally near centers,
  // the first chosen one counts. A center belongs to itself. The numbers add up to the number of
  // rows.
  std::vector<int64_t> sizes;
};

// Farthest-first traversal (Gonzalez, 1985). From the start, it repeatedly chooses the row farthest
// from the chosen ones. Among equally far rows, it takes the lowest. The radius is at most twice
// the best possible one. The start is the row nearest to the mean, unless it is given. Rows must be
// usable (UsableRows). With k >= n all rows are chosen. Duplicates come after everything else. O(n
// k d) time, O(n) memory. `pool` may be nullptr; no result depends on it.
Centers FindCenters(const Rows& rows, int64_t k, std::optional<int64_t> start = std::nullopt,
                    WorkerPool* pool = nullptr);

// Returns the row nearest to the mean of all. Among equally near rows, the lowest. There must be at
// least one row.
int64_t NearestToMean(const Rows& rows);

}  // namespace tidemill::subsets

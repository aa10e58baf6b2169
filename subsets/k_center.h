// Rows such that none is far from all of them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

struct Centers {
  // In the order in which they were chosen; no weights.
  Choice choice;
  // The Euclidean distance of the farthest row from its nearest center, when so many were chosen as
  // stand before: radii[0] belongs to the first alone.
  std::vector<double> radii;
  // For each center the rows to which it is the nearest, of equally near ones the first chosen, but
  // a center is its own. They add up to the number of rows.
  std::vector<int64_t> sizes;
};

// Farthest-first traversal (Gonzalez, 1985): from the start, again and again the row farthest from
// those chosen, of equally far ones the lowest. The radius is at most twice the best possible. The
// start is the row nearest to the mean unless it is given. Rows are usable ones (UsableRows). k >=
// n chooses all, and duplicates only after everything else. O(n k d) time, O(n) memory. `pool` may
// be nullptr; no result depends on it.
Centers FindCenters(const Rows& rows, int64_t k, std::optional<int64_t> start = std::nullopt,
                    WorkerPool* pool = nullptr);

// The row nearest to the mean of all, of equally near ones the lowest. There is at least one.
int64_t NearestToMean(const Rows& rows);

}  // namespace tidemill::subsets

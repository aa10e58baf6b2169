// Leaves out near duplicates among rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers/random.h"
#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

// Which row of a group of near duplicates stays.
enum class KeepAlike {
  kFarthest,  // From the center of its cluster: hard rows.
  kNearest,
  kFirst,  // The lowest row.
};

struct DeduplicationOptions {
  // A row is removed when its cosine with an earlier one is above 1 - epsilon. With 0, all rows
  // stay.
  double epsilon = 0.05;
  int64_t num_clusters = 1;
  int64_t iterations = 20;
  KeepAlike keep = KeepAlike::kFarthest;
  RandomKey random = {};
};

// SemDeDup (Abbas et al., 2023). Rows are divided into clusters by k-means. Within a cluster, rows
// are visited in the order of `keep`. A row is removed when its cosine with an earlier one, kept or
// not, is above the threshold. A removed row still removes others, so that of a chain of similar
// rows one may stay that is far from the others. Rows must have length 1 (see Normalised), or be
// zeros, which resemble no other. The kept rows are returned in ascending order. O(n d clusters
// iterations + sum of squared cluster sizes d) time, O(n + largest cluster d) memory besides the
// rows. `pool` may be nullptr; the result does not depend on it.
Choice LeaveOutAlike(const Rows& rows, const DeduplicationOptions& options,
                     WorkerPool* pool = nullptr);

}  // namespace tidemill::subsets

// Leaving out rows that say nearly the same as another one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

// Which of several alike rows stays.
enum class KeepAlike {
  kFarthest,  // From the center of its cluster: hard ones.
  kNearest,
  kFirst,  // The lowest row.
};

struct DeduplicationOptions {
  // A row goes when its cosine with an earlier one is above 1 - epsilon; 0 lets all stay.
  double epsilon = 0.05;
  int64_t num_clusters = 1;
  int64_t iterations = 20;
  KeepAlike keep = KeepAlike::kFarthest;
  RandomKey random = {};
};

// SemDeDup (Abbas et al., 2023): k-means; within a cluster, in the order that
// `keep` says, a row goes when its cosine with an earlier one, kept or not, is above the threshold.
// A row that went still makes others go, so of a chain of alike rows one may stay that is far from
// the others. Rows have length 1 (see Normalised), or are zeros and like no other; the kept ones
// come in ascending order. O(n d clusters iterations + sum of squared cluster sizes d) time, O(n +
// largest cluster d) memory beside the rows. `pool` may be nullptr; the result does not depend on
// it.
Choice LeaveOutAlike(const Rows& rows, const DeduplicationOptions& options,
                     WorkerPool* pool = nullptr);

// For each of `order` the greatest cosine with one before it; 0 for the first. Rows have length 1.
std::vector<float> GreatestCosineWithEarlier(const Rows& rows, std::span<const int64_t> order);

}  // namespace tidemill::subsets

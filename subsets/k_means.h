// Clusters of rows, and their centers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numbers/random.h"
#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

struct KMeansOptions {
  int64_t num_clusters = 1;
  int64_t iterations = 20;  // The most iterations. It ends when no row changes its cluster.
  RandomKey random = {};
};

struct Clusters {
  std::vector<float> centers;    // num_clusters x width.
  std::vector<int64_t> of_row;   // The cluster of each row.
  std::vector<float> distances;  // The squared Euclidean distance of each row from its center.
  std::vector<int64_t> sizes;    // At least 1 each.
  // `members` are the rows of each cluster, one cluster after another, ascending. `begins` says
  // where each cluster begins, and where the last ends.
  std::vector<int64_t> members;
  std::vector<int64_t> begins;
};

// Lloyd's algorithm. Its first centers are drawn by k-means++ (Arthur and Vassilvitskii, SODA 2007)
// from 20 rows per cluster, at least 10,000, which are drawn uniformly. Reads the rows front to
// back, once per iteration and a few times more. A cluster that loses its last row takes the row
// that is farthest from its own center, from a cluster with several rows. Rows must be usable
// (UsableRows). There are at most as many clusters as rows. `pool` may be nullptr; the result does
// not depend on it.
Clusters FindClusters(const Rows& rows, const KMeansOptions& options, WorkerPool* pool = nullptr);

// Returns, for each cluster, the row nearest to its center. Among equally near rows, the lowest.
// Weights are the sizes of the clusters, scaled to a mean of 1. With k >= n all rows are chosen,
// each with weight 1.
Choice FindMedoids(const Rows& rows, const KMeansOptions& options, WorkerPool* pool = nullptr);

}  // namespace tidemill::subsets

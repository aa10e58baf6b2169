// Clusters of rows, and the middle of each.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

struct KMeansOptions {
  int64_t num_clusters = 1;
  int64_t iterations = 20;  // At most; ends when no row changes its cluster.
  RandomKey random = {};
};

struct Clusters {
  std::vector<float> centers;    // num_clusters x width.
  std::vector<int64_t> of_row;   // The cluster of each row.
  std::vector<float> distances;  // Squared Euclidean distance of each row from its center.
  std::vector<int64_t> sizes;    // At least 1 each.
  // The rows of each cluster one after the other, ascending; where each begins, and the end.
  std::vector<int64_t> members;
  std::vector<int64_t> begins;
};

// Lloyd's algorithm from the centers that k-means++ (Arthur and Vassilvitskii, SODA 2007) draws
// from 20 rows a cluster, at least 10,000 of them, themselves drawn uniformly. Reads rows front to
// back, once for each iteration and a few times more. A cluster that loses its last row takes the
// row that is farthest from its own center, of a cluster with several. Rows are usable ones
// (UsableRows); at most as many clusters as rows. `pool` may be nullptr; the result does not depend
// on it.
Clusters FindClusters(const Rows& rows, const KMeansOptions& options, WorkerPool* pool = nullptr);

// Of each cluster the row nearest to its center, of equally near ones the lowest; their weights are
// the sizes of the clusters, scaled to a mean of 1. k >= n chooses all, each with weight 1.
Choice FindMedoids(const Rows& rows, const KMeansOptions& options, WorkerPool* pool = nullptr);

}  // namespace tidemill::subsets

#include "subsets/deduplication.h"

#include <algorithm>

#include "subsets/distances.h"
#include "subsets/k_means.h"

namespace tidemill::subsets {
namespace {

constexpr int64_t kRowsAtATime = 64;

// The members of a cluster, those first that are to stay.
std::vector<int64_t> InOrder(const Clusters& clusters, size_t cluster, KeepAlike keep) {
  std::vector<int64_t> order(clusters.members.begin() + clusters.begins[cluster],
                             clusters.members.begin() + clusters.begins[cluster + 1]);
  if (keep == KeepAlike::kFirst) return order;
  const auto distance = [&](int64_t row) {
    const float value = clusters.distances[static_cast<size_t>(row)];
    return keep == KeepAlike::kNearest ? value : -value;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return distance(a) < distance(b); });
  return order;
}

std::vector<float> GreatestCosines(const Rows& rows, std::span<const int64_t> order,
                                   WorkerPool* pool) {
  const std::vector<float> values = Gathered(rows, order);
  const Rows ordered{values, std::ssize(order), rows.width};
  std::vector<float> greatest(order.size(), 0.0F);
  ForPieces(pool, ordered.num_rows, kRowsAtATime, [&](int64_t from, int64_t to) {
    for (int64_t row = from; row < to; ++row) {
      float& most = greatest[static_cast<size_t>(row)];
      for (int64_t earlier = 0; earlier < row; ++earlier) {
        const float cosine = Product(ordered.Row(row), ordered.Row(earlier));
        if (earlier == 0 || cosine > most) most = cosine;
      }
      most = std::clamp(most, -1.0F, 1.0F);
    }
  });
  return greatest;
}

}  // namespace

Choice LeaveOutAlike(const Rows& rows, const DeduplicationOptions& options, WorkerPool* pool) {
  const Clusters clusters = FindClusters(rows,
                                         {.num_clusters = options.num_clusters,
                                          .iterations = options.iterations,
                                          .random = options.random},
                                         pool);
  std::vector<uint8_t> stays(static_cast<size_t>(rows.num_rows), 1);
  for (size_t cluster = 0; cluster < clusters.sizes.size(); ++cluster) {
    const std::vector<int64_t> order = InOrder(clusters, cluster, options.keep);
    const std::vector<float> cosines = GreatestCosines(rows, order, pool);
    for (size_t i = 1; i < order.size(); ++i) {
      if (cosines[i] > 1 - options.epsilon) stays[static_cast<size_t>(order[i])] = 0;
    }
  }
  Choice choice;
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    if (stays[static_cast<size_t>(row)] != 0) choice.rows.push_back(row);
  }
  return choice;
}

}  // namespace tidemill::subsets

#include "subsets/k_means.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "subsets/distances.h"
#include "subsets/sampling.h"

namespace tidemill::subsets {
namespace {

constexpr int64_t kRowsInPiece = 1024;
// Into how many tasks the clusters are cut; each looks at all rows, and adds up the rows of its own
// clusters.
constexpr int64_t kClusterTasks = 16;
constexpr int64_t kSeedsFromPerCluster = 20;
constexpr int64_t kSeedsFrom = 10'000;

// The first centers: each next one a row, drawn in proportion to its squared distance from the
// nearest of those before.
class Seeding {
 public:
  Seeding(const Rows& rows, const RandomKey& random, WorkerPool* pool)
      : rows_(rows),
        random_(random),
        pool_(pool),
        nearest_(static_cast<size_t>(rows.num_rows), std::numeric_limits<float>::infinity()),
        sums_(static_cast<size_t>((rows.num_rows + kRowsInPiece - 1) / kRowsInPiece)) {}

  std::vector<int64_t> Draw(int64_t count) {
    std::vector<int64_t> rows = {UniformRow(0)};
    while (std::ssize(rows) < count) {
      Update(rows.back());
      rows.push_back(NextRow(std::ssize(rows)));
    }
    return rows;
  }

 private:
  int64_t UniformRow(int64_t ordinal) const {
    const double unit = RandomUnit(random_, ordinal);
    return std::min(static_cast<int64_t>(unit * static_cast<double>(rows_.num_rows)),
                    rows_.num_rows - 1);
  }

  void Update(int64_t center) {
    ForPieces(pool_, rows_.num_rows, kRowsInPiece, [&](int64_t from, int64_t to) {
      float distances[kRowsInPiece];
      const auto size = static_cast<size_t>(to - from);
      SquaredDistances(rows_.Row(center), rows_, from, std::span(distances).first(size));
      double sum = 0;
      for (size_t i = 0; i < size; ++i) {
        float& nearest = nearest_[static_cast<size_t>(from) + i];
        nearest = std::min(nearest, distances[i]);
        sum += nearest;
      }
      sums_[static_cast<size_t>(from / kRowsInPiece)] = sum;
    });
  }

  int64_t NextRow(int64_t ordinal) const {
    const double total = std::accumulate(sums_.begin(), sums_.end(), 0.0);
    if (!(total > 0)) return UniformRow(ordinal);  // Every row is where a center is.
    double left = RandomUnit(random_, ordinal) * total;
    size_t piece = 0;
    while (piece + 1 < sums_.size() && left >= sums_[piece]) left -= sums_[piece++];
    const auto from = static_cast<int64_t>(piece) * kRowsInPiece;
    const int64_t to = std::min(from + kRowsInPiece, rows_.num_rows);
    int64_t last = UniformRow(ordinal);
    for (int64_t row = from; row < to; ++row) {
      const double distance = nearest_[static_cast<size_t>(row)];
      if (distance == 0) continue;
      last = row;
      if (left < distance) break;
      left -= distance;
    }
    return last;
  }

  const Rows rows_;
  const RandomKey random_;
  WorkerPool* const pool_;
  std::vector<float> nearest_;
  std::vector<double> sums_;
};

// Lists the members of each cluster.
void Index(Clusters& clusters) {
  clusters.begins.assign(clusters.sizes.size() + 1, 0);
  std::partial_sum(clusters.sizes.begin(), clusters.sizes.end(), clusters.begins.begin() + 1);
  clusters.members.resize(clusters.of_row.size());
  std::vector<int64_t> next(clusters.begins.begin(), clusters.begins.end() - 1);
  for (size_t row = 0; row < clusters.of_row.size(); ++row) {
    int64_t& place = next[static_cast<size_t>(clusters.of_row[row])];
    clusters.members[static_cast<size_t>(place++)] = static_cast<int64_t>(row);
  }
}

class Lloyd {
 public:
  Lloyd(const Rows& rows, int64_t num_clusters, WorkerPool* pool)
      : rows_(rows), num_clusters_(num_clusters), pool_(pool) {}

  Clusters Run(const KMeansOptions& options) {
    clusters_.centers = FirstCenters(options.random);
    Assign();
    for (int64_t i = 0; i < options.iterations; ++i) {
      const std::vector<int64_t> before = clusters_.of_row;
      MoveCenters();
      Assign();
      if (clusters_.of_row == before) break;
    }
    return std::move(clusters_);
  }

 private:
  std::vector<float> FirstCenters(const RandomKey& random) const {
    const int64_t count = std::max(kSeedsFrom, kSeedsFromPerCluster * num_clusters_);
    if (count >= rows_.num_rows) {
      return Gathered(rows_, Seeding(rows_, random, pool_).Draw(num_clusters_));
    }
    const std::vector<float> some = Gathered(rows_, DrawUniformly(rows_.num_rows, count, random));
    const Rows drawn{some, count, rows_.width};
    return Gathered(drawn, Seeding(drawn, random, pool_).Draw(num_clusters_));
  }

  void Assign() {
    Nearest nearest = FindNearest(rows_, {clusters_.centers, num_clusters_, rows_.width}, pool_);
    clusters_.of_row = std::move(nearest.rows);
    clusters_.distances = std::move(nearest.squared_distances);
    clusters_.sizes.assign(static_cast<size_t>(num_clusters_), 0);
    for (const int64_t cluster : clusters_.of_row) ++clusters_.sizes[static_cast<size_t>(cluster)];
    RefillEmpty();
    Index(clusters_);
  }

  void RefillEmpty() {
    if (std::count(clusters_.sizes.begin(), clusters_.sizes.end(), 0) == 0) return;
    std::vector<int64_t> farthest(clusters_.of_row.size());
    std::iota(farthest.begin(), farthest.end(), int64_t{0});
    std::stable_sort(farthest.begin(), farthest.end(), [&](int64_t a, int64_t b) {
      return clusters_.distances[static_cast<size_t>(a)] >
             clusters_.distances[static_cast<size_t>(b)];
    });
    auto next = farthest.begin();
    for (int64_t cluster = 0; cluster < num_clusters_; ++cluster) {
      if (clusters_.sizes[static_cast<size_t>(cluster)] > 0) continue;
      const auto size_of = [&](int64_t row) -> int64_t& {
        return clusters_.sizes[static_cast<size_t>(clusters_.of_row[static_cast<size_t>(row)])];
      };
      while (size_of(*next) == 1) ++next;
      MoveTo(cluster, *next++);
    }
  }

  // Makes the row the only one of an empty cluster.
  void MoveTo(int64_t cluster, int64_t row) {
    const auto at = static_cast<size_t>(row);
    --clusters_.sizes[static_cast<size_t>(clusters_.of_row[at])];
    clusters_.sizes[static_cast<size_t>(cluster)] = 1;
    clusters_.of_row[at] = cluster;
    clusters_.distances[at] = 0;
    const auto values = rows_.Row(row);
    std::copy(values.begin(), values.end(), clusters_.centers.begin() + cluster * rows_.width);
  }

  void MoveCenters() {
    const int64_t piece = (num_clusters_ + kClusterTasks - 1) / kClusterTasks;
    ForPieces(pool_, num_clusters_, piece,
              [&](int64_t from, int64_t to) { MoveCentersOf(from, to); });
  }

  // Moves the centers of the clusters [from, to). Each sum goes through the rows in their order, so
  // that it does not depend on how the clusters are cut.
  void MoveCentersOf(int64_t from, int64_t to) {
    const auto width = static_cast<size_t>(rows_.width);
    std::vector<double> sums(static_cast<size_t>(to - from) * width, 0.0);
    for (int64_t row = 0; row < rows_.num_rows; ++row) {
      const int64_t cluster = clusters_.of_row[static_cast<size_t>(row)];
      if (cluster < from || cluster >= to) continue;
      const auto values = rows_.Row(row);
      double* const sum = sums.data() + static_cast<size_t>(cluster - from) * width;
      for (size_t d = 0; d < width; ++d) sum[d] += values[d];
    }
    for (int64_t cluster = from; cluster < to; ++cluster) {
      const auto size = static_cast<double>(clusters_.sizes[static_cast<size_t>(cluster)]);
      const double* const sum = sums.data() + static_cast<size_t>(cluster - from) * width;
      float* const center = clusters_.centers.data() + static_cast<size_t>(cluster) * width;
      for (size_t d = 0; d < width; ++d) center[d] = static_cast<float>(sum[d] / size);
    }
  }

  const Rows rows_;
  const int64_t num_clusters_;
  WorkerPool* const pool_;
  Clusters clusters_;
};

}  // namespace

Clusters FindClusters(const Rows& rows, const KMeansOptions& options, WorkerPool* pool) {
  const int64_t count = std::min(options.num_clusters, rows.num_rows);
  if (count <= 0) {
    Clusters none;
    none.begins = {0};
    return none;
  }
  return Lloyd(rows, count, pool).Run(options);
}

Choice FindMedoids(const Rows& rows, const KMeansOptions& options, WorkerPool* pool) {
  Choice choice;
  if (options.num_clusters >= rows.num_rows) {
    choice.rows.resize(static_cast<size_t>(rows.num_rows));
    std::iota(choice.rows.begin(), choice.rows.end(), int64_t{0});
    choice.weights.assign(choice.rows.size(), 1.0);
    return choice;
  }
  const Clusters clusters = FindClusters(rows, options, pool);
  const double mean =
      static_cast<double>(rows.num_rows) / static_cast<double>(clusters.sizes.size());
  for (size_t c = 0; c < clusters.sizes.size(); ++c) {
    const auto begin = clusters.members.begin() + clusters.begins[c];
    const auto end = clusters.members.begin() + clusters.begins[c + 1];
    choice.rows.push_back(*std::min_element(begin, end, [&](int64_t a, int64_t b) {
      return clusters.distances[static_cast<size_t>(a)] <
             clusters.distances[static_cast<size_t>(b)];
    }));
    choice.weights.push_back(static_cast<double>(clusters.sizes[c]) / mean);
  }
  return choice;
}

}  // namespace tidemill::subsets

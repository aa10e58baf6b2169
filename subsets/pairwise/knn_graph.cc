#include "subsets/pairwise/knn_graph.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "base/files.h"
#include "faiss/Clustering.h"
#include "faiss/IndexFlat.h"
#include "faiss/utils/distances.h"
#include "subsets/pairwise/csr_graph.h"
#include "subsets/pairwise/shared_file.h"

// From OpenMP, whose header not every compiler has; and from OpenBLAS, which has its own thread
// pool; other libraries with its interface need not have one.
extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads();
void openblas_set_num_threads(int) __attribute__((weak));
}

namespace tidemill::subsets {
namespace {

constexpr int64_t kQueries = 1024;
constexpr int64_t kAssigned = 4096;
// Rows that k-means looks at for each of its centres.
constexpr int64_t kSamplePerCenter = 64;
constexpr CsrEdge kNoEdge{std::numeric_limits<uint32_t>::max(), 0};

// That results are the same everywhere, each product is computed by the thread that asks for it.
void UseOneThread() {
  omp_set_num_threads(1);
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
}

// Gives the caller's thread back what it may use.
class ThreadsRestored {
 public:
  ~ThreadsRestored() { omp_set_num_threads(threads_); }

 private:
  const int threads_ = omp_get_max_threads();
};

// A row divided by its length; zeros stay.
void Normalise(std::span<const float> row, std::span<float> into) {
  double square = 0;
  for (const float value : row) square += static_cast<double>(value) * static_cast<double>(value);
  const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
  for (size_t i = 0; i < row.size(); ++i) {
    into[i] = static_cast<float>(static_cast<double>(row[i]) * scale);
  }
}

class KnnGraph {
 public:
  KnnGraph(const Rows& rows, const KnnOptions& options, const std::string& folder)
      : rows_(rows), options_(options), folder_(folder), count_(rows.num_rows) {
    num_neighbors_ = std::min(options.neighbors, std::max<int64_t>(count_ - 1, 0));
  }

  absl::Status Write(std::span<const float> utilities) {
    if (count_ > kMaxCsrNodes - 1) {
      return InvalidArgument("a graph of neighbours has at most {} rows, not {}", kMaxCsrNodes - 1,
                             count_);
    }
    const ThreadsRestored threads;
    UseOneThread();
    RETURN_IF_ERROR(FindCenters());
    RETURN_IF_ERROR(AssignRows());
    RETURN_IF_ERROR(GroupRows());
    RETURN_IF_ERROR(FindNeighbors());
    RETURN_IF_ERROR(WriteBothWays(utilities));
    for (const char* name : {"sample", "clusters", "members", "grouped", "nearest"}) {
      RETURN_IF_ERROR(files::Remove(files::Join(folder_, name)));
    }
    return absl::OkStatus();
  }

 private:
  // Rows of a query block: members [from, to) of a cluster.
  struct Block {
    int64_t cluster;
    int64_t from;
    int64_t to;
  };

  size_t width() const { return static_cast<size_t>(rows_.width); }

  void ForEach(int64_t count, const std::function<void(int64_t)>& body) const {
    const auto alone = [&](int64_t i) {
      UseOneThread();
      body(i);
    };
    if (options_.pool != nullptr) {
      options_.pool->ParallelFor(count, alone);
    } else {
      for (int64_t i = 0; i < count; ++i) alone(i);
    }
  }

  template <typename T>
  absl::StatusOr<SharedFile> Create(const char* name, int64_t count) const {
    return SharedFile::Create(files::Join(folder_, name), count * static_cast<int64_t>(sizeof(T)));
  }

  // k-means on a sample of the rows; none where rows are few.
  absl::Status FindCenters() {
    if (count_ <= std::max<int64_t>(options_.exact_rows, 1)) return absl::OkStatus();
    num_clusters_ = 4 * std::llround(std::sqrt(static_cast<double>(count_)));
    const int64_t sample = std::min(count_, kSamplePerCenter * num_clusters_);
    std::vector<int64_t> drawn(static_cast<size_t>(sample));
    Permutation(options_.random, count_).Range(0, drawn);
    std::sort(drawn.begin(), drawn.end());
    ASSIGN_OR_RETURN(const SharedFile file, Create<float>("sample", sample * rows_.width));
    const std::span<float> values = file.As<float>();
    for (size_t i = 0; i < drawn.size(); ++i) {
      Normalise(rows_.Row(drawn[i]), values.subspan(i * width(), width()));
    }
    faiss::ClusteringParameters parameters;
    parameters.niter = 8;
    parameters.spherical = true;
    parameters.min_points_per_centroid = 1;
    parameters.max_points_per_centroid = static_cast<int>(kSamplePerCenter);
    parameters.seed = static_cast<int>(RandomBits(options_.random, -1) >> 40);
    faiss::Clustering clustering(static_cast<int>(rows_.width), static_cast<int>(num_clusters_),
                                 parameters);
    faiss::IndexFlatIP index(rows_.width);
    clustering.train(sample, values.data(), index);
    centers_ = std::move(clustering.centroids);
    return absl::OkStatus();
  }

  absl::Status AssignRows() {
    ASSIGN_OR_RETURN(clusters_, Create<uint32_t>("clusters", count_));
    if (num_clusters_ == 1) return absl::OkStatus();
    const std::span<uint32_t> clusters = clusters_.As<uint32_t>();
    ForEach((count_ + kAssigned - 1) / kAssigned, [&](int64_t piece) {
      const int64_t from = piece * kAssigned;
      const auto size = static_cast<size_t>(std::min(kAssigned, count_ - from));
      std::vector<float> products(size);
      std::vector<int64_t> nearest(size);
      // The length of a row does not change which centre is nearest.
      faiss::knn_inner_product(rows_.Row(from).data(), centers_.data(), width(), size,
                               static_cast<size_t>(num_clusters_), 1, products.data(),
                               nearest.data());
      for (size_t i = 0; i < size; ++i) {
        clusters[static_cast<size_t>(from) + i] =
            static_cast<uint32_t>(std::max<int64_t>(nearest[i], 0));
      }
    });
    return absl::OkStatus();
  }

  // Puts the rows of each cluster one after the other, in their order, with a length of 1.
  absl::Status GroupRows() {
    ASSIGN_OR_RETURN(members_, Create<uint32_t>("members", count_));
    ASSIGN_OR_RETURN(grouped_, Create<float>("grouped", count_ * rows_.width));
    const std::span<const uint32_t> clusters = clusters_.As<const uint32_t>();
    begins_.assign(static_cast<size_t>(num_clusters_) + 1, 0);
    for (const uint32_t cluster : clusters) ++begins_[cluster + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::vector<int64_t> next(begins_.begin(), begins_.end() - 1);
    for (int64_t row = 0; row < count_; ++row) {
      const auto at = static_cast<size_t>(next[clusters[static_cast<size_t>(row)]]++);
      members_.As<uint32_t>()[at] = static_cast<uint32_t>(row);
      Normalise(rows_.Row(row), grouped_.As<float>().subspan(at * width(), width()));
    }
    return absl::OkStatus();
  }

  absl::Status FindNeighbors() {
    ASSIGN_OR_RETURN(nearest_, Create<CsrEdge>("nearest", count_ * num_neighbors_));
    std::ranges::fill(nearest_.As<CsrEdge>(), kNoEdge);
    if (num_neighbors_ == 0) return absl::OkStatus();
    const auto num_probes = std::min(options_.probes, num_clusters_);
    std::vector<int64_t> probes(static_cast<size_t>(num_clusters_ * num_probes));
    if (num_clusters_ > 1) {
      std::vector<float> products(probes.size());
      const auto count = static_cast<size_t>(num_clusters_);
      faiss::knn_inner_product(centers_.data(), centers_.data(), width(), count, count,
                               static_cast<size_t>(num_probes), products.data(), probes.data());
    }
    std::vector<Block> blocks;
    for (int64_t cluster = 0; cluster < num_clusters_; ++cluster) {
      const auto at = static_cast<size_t>(cluster);
      for (int64_t from = begins_[at]; from < begins_[at + 1]; from += kQueries) {
        blocks.push_back({cluster, from, std::min(from + kQueries, begins_[at + 1])});
      }
    }
    ForEach(std::ssize(blocks), [&](int64_t i) {
      const Block& block = blocks[static_cast<size_t>(i)];
      SearchBlock(block, std::span(probes).subspan(static_cast<size_t>(block.cluster * num_probes),
                                                   static_cast<size_t>(num_probes)));
    });
    return absl::OkStatus();
  }

  void SearchBlock(const Block& block, std::span<const int64_t> probes) const {
    const auto size = static_cast<size_t>(block.to - block.from);
    const float* const rows = grouped_.As<const float>().data();
    const std::span<const uint32_t> members = members_.As<const uint32_t>();
    std::vector<std::vector<CsrEdge>> found(size);
    std::vector<float> products;
    std::vector<int64_t> places;
    for (const int64_t probe : probes) {
      const auto begin = static_cast<size_t>(begins_[static_cast<size_t>(probe)]);
      const auto there = static_cast<size_t>(begins_[static_cast<size_t>(probe) + 1]) - begin;
      // One more, since a row is its own nearest neighbour.
      const size_t k = std::min(static_cast<size_t>(num_neighbors_) + 1, there);
      if (k == 0) continue;
      products.resize(size * k);
      places.resize(size * k);
      faiss::knn_inner_product(rows + static_cast<size_t>(block.from) * width(),
                               rows + begin * width(), width(), size, there, k, products.data(),
                               places.data());
      for (size_t i = 0; i < size * k; ++i) {
        if (places[i] < 0 || !(products[i] > 0)) continue;
        found[i / k].push_back(
            {members[begin + static_cast<size_t>(places[i])], std::min(products[i], 1.0F)});
      }
    }
    for (size_t i = 0; i < size; ++i) {
      KeepNearest(members[static_cast<size_t>(block.from) + i], found[i]);
    }
  }

  void KeepNearest(uint32_t row, std::vector<CsrEdge>& found) const {
    std::erase_if(found, [&](const CsrEdge& edge) { return edge.node == row; });
    std::ranges::sort(found, [](const CsrEdge& a, const CsrEdge& b) {
      return a.similarity > b.similarity || (a.similarity == b.similarity && a.node < b.node);
    });
    found.resize(std::min(found.size(), static_cast<size_t>(num_neighbors_)));
    std::ranges::copy(
        found, nearest_.As<CsrEdge>().subspan(row * static_cast<size_t>(num_neighbors_)).begin());
  }

  // Each pair from both ends, for as many nodes at a time as fit into the budget.
  absl::Status WriteBothWays(std::span<const float> utilities) {
    ASSIGN_OR_RETURN(CsrWriter writer,
                     CsrWriter::Create(folder_, count_, 2 * count_ * num_neighbors_));
    std::ranges::copy(utilities, writer.utilities().begin());
    const int64_t bytes_per_node =
        2 * std::max<int64_t>(num_neighbors_, 1) * static_cast<int64_t>(sizeof(Pair));
    const int64_t nodes_at_once =
        std::max<int64_t>(options_.memory_budget / bytes_per_node, kQueries);
    for (int64_t from = 0; from < count_; from += nodes_at_once) {
      WriteRows(from, std::min(from + nodes_at_once, count_), writer);
    }
    return absl::OkStatus();
  }

  void WriteRows(int64_t from, int64_t to, CsrWriter& writer) const {
    std::vector<Pair> pairs;
    const std::span<const CsrEdge> nearest = nearest_.As<const CsrEdge>();
    for (size_t i = 0; i < nearest.size(); ++i) {
      if (nearest[i].node == kNoEdge.node) continue;
      const int64_t row = static_cast<int64_t>(i) / num_neighbors_;
      const int64_t other = nearest[i].node;
      if (row >= from && row < to) pairs.push_back({row, other, nearest[i].similarity});
      if (other >= from && other < to) pairs.push_back({other, row, nearest[i].similarity});
    }
    // Two nodes that found one another keep the greater similarity: products of the same rows may
    // differ in their last bit, and the graph has to be the same from both ends.
    std::ranges::sort(pairs, [](const Pair& a, const Pair& b) {
      if (a.from != b.from) return a.from < b.from;
      return a.to != b.to ? a.to < b.to : a.similarity > b.similarity;
    });
    const auto repeated = std::ranges::unique(
        pairs, [](const Pair& a, const Pair& b) { return a.from == b.from && a.to == b.to; });
    pairs.erase(repeated.begin(), repeated.end());
    std::vector<CsrEdge> edges;
    size_t at = 0;
    for (int64_t row = from; row < to; ++row) {
      edges.clear();
      for (; at < pairs.size() && pairs[at].from == row; ++at) {
        edges.push_back({static_cast<uint32_t>(pairs[at].to), pairs[at].similarity});
      }
      writer.AddRow(edges);
    }
  }

  const Rows& rows_;
  const KnnOptions& options_;
  const std::string& folder_;
  const int64_t count_;
  int64_t num_neighbors_ = 0;
  int64_t num_clusters_ = 1;
  std::vector<float> centers_;
  std::vector<int64_t> begins_;
  SharedFile clusters_;  // The cluster of each row.
  SharedFile members_;   // Rows in the order of their clusters,
  SharedFile grouped_;   // and their numbers.
  SharedFile nearest_;   // num_neighbors_ of each row.
};

}  // namespace

absl::Status WriteKnnGraph(const Rows& rows, std::span<const float> utilities,
                           const KnnOptions& options, const std::string& folder) {
  if (std::ssize(utilities) != rows.num_rows || options.neighbors < 0) {
    return InvalidArgument("{} utilities do not fit a graph of {} rows with {} neighbours",
                           utilities.size(), rows.num_rows, options.neighbors);
  }
  return KnnGraph(rows, options, folder).Write(utilities);
}

}  // namespace tidemill::subsets

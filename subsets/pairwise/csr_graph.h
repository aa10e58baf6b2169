// A graph in mapped files, as compressed sparse rows.
//
//   utilities.f32   a number for each node
//   offsets.i64     num_nodes + 1: the neighbours of v are edges [offsets[v], offsets[v + 1]); then
//                   the greatest number of neighbours of any
//   edges {uint32 neighbour, float32 similarity} each; each pair of nodes occurs from both ends;
//   bytes after the last edge are ignored
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/status.h"
#include "subsets/pairwise/graph.h"
#include "subsets/pairwise/shared_file.h"

namespace tidemill::subsets {

inline constexpr int64_t kMaxCsrNodes = int64_t{1} << 32;

// A neighbour and its similarity.
struct CsrEdge {
  uint32_t node = 0;
  float similarity = 0;
};

// Thread-safe.
class CsrGraph {
 public:
  // `folder` has the three files. DATA_LOSS when their sizes contradict one another.
  static absl::StatusOr<CsrGraph> Open(const std::string& folder);

  int64_t num_nodes() const { return std::ssize(utilities_); }
  int64_t num_edges() const { return offsets_[offsets_.size() - 2] / 2; }
  int64_t max_degree() const { return offsets_.back(); }
  float utility(int64_t node) const { return Clamped(utilities_[static_cast<size_t>(node)]); }

  std::span<const CsrEdge> Neighbors(int64_t node) const {
    const auto at = static_cast<size_t>(node);
    const auto from = static_cast<size_t>(offsets_[at]);
    return edges_.subspan(from, static_cast<size_t>(offsets_[at + 1]) - from);
  }
  template <typename Visit>
  void ForEachNeighbor(int64_t node, Visit&& visit) const {
    for (const CsrEdge& edge : Neighbors(node)) {
      visit(static_cast<int64_t>(edge.node), [&] { return Clamped(edge.similarity); });
    }
  }

 private:
  CsrGraph(SharedFile utilities, SharedFile offsets, SharedFile edges);

  SharedFile files_[3];
  std::span<const float> utilities_;
  std::span<const int64_t> offsets_;
  std::span<const CsrEdge> edges_;
};

// An undirected pair of nodes. Two nodes have at most one pair.
struct Pair {
  int64_t from = 0;
  int64_t to = 0;
  float similarity = 0;
};

// Writes rows of edges, node by node. Thread-compatible.
class CsrWriter {
 public:
  // There are at most `num_edges` entries, two for each pair.
  static absl::StatusOr<CsrWriter> Create(const std::string& folder, int64_t num_nodes,
                                          int64_t num_edges);
  // Adds the neighbours of the next node, each once.
  void AddRow(std::span<const CsrEdge> row);
  std::span<float> utilities() { return files_[0].As<float>(); }

 private:
  CsrWriter(SharedFile utilities, SharedFile offsets, SharedFile edges);
  SharedFile files_[3];
  int64_t rows_ = 0;
  int64_t edges_ = 0;
};

}  // namespace tidemill::subsets

// The objective of pairwise selection, and the greedy algorithm for it on some of a graph's nodes.
//
//   f(S) = alpha sum of u(v) over v in S - beta sum of s(v, w) over pairs of neighbours in S
//
// with beta = 1 - alpha. What v adds, alpha u(v) - beta sum of s(v, w) over neighbours w in S, can
// only become less as S grows: f is submodular. It is monotone only once a constant is added to all
// utilities, which changes no choice of a given size (Boether et al., MLSys 2025, section 3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "subsets/pairwise/gain_heap.h"
#include "subsets/pairwise/graph.h"
#include "subsets/pairwise/node_set.h"

namespace tidemill::subsets {

// The places of nodes in an ascending list of them, found through a directory with an entry for
// every few nodes. The list is someone else's.
class NodePlaces {
 public:
  NodePlaces(std::span<const int64_t> nodes, int64_t num_nodes) : nodes_(nodes) {
    while ((num_nodes >> shift_) > std::ssize(nodes) / 2 && shift_ < 62) ++shift_;
    const auto num_blocks = static_cast<size_t>(num_nodes >> shift_) + 1;
    starts_.resize(num_blocks + 1);
    size_t place = 0;
    for (size_t block = 0; block <= num_blocks; ++block) {
      while (place < nodes.size() && static_cast<size_t>(nodes[place] >> shift_) < block) ++place;
      starts_[block] = static_cast<uint32_t>(place);
    }
  }

  // -1 for a node that is not in the list.
  int64_t Find(int64_t node) const {
    const auto block = static_cast<size_t>(node >> shift_);
    const auto end = nodes_.begin() + starts_[block + 1];
    const auto found = std::lower_bound(nodes_.begin() + starts_[block], end, node);
    return found != end && *found == node ? found - nodes_.begin() : -1;
  }

  // Per node of the list, at most.
  static constexpr int64_t kBytesPerEntry = 4;

 private:
  std::span<const int64_t> nodes_;
  std::vector<uint32_t> starts_;
  int shift_ = 0;
};

// Weights of the two terms of f.
struct Objective {
  double alpha = 0.9;
  double beta() const { return 1 - alpha; }
  double ratio() const { return beta() / alpha; }
};

// What `node` adds to f beside `chosen`.
template <Graph G>
double GainOf(const G& graph, const Objective& objective, std::span<const uint64_t> chosen,
              int64_t node) {
  double similarities = 0;
  graph.ForEachNeighbor(node, [&](int64_t other, auto&& similarity) {
    if (Contains(chosen, other)) similarities += static_cast<double>(similarity());
  });
  return objective.alpha * static_cast<double>(graph.utility(node)) -
         objective.beta() * similarities;
}

// Bytes that PickGreedily() holds for each of the nodes it picks from, these included.
inline constexpr int64_t kGreedyBytesPerNode =
    sizeof(int64_t) + GainHeap::kBytesPerEntry + NodePlaces::kBytesPerEntry;

// Picks `count` of `nodes`, which are ascending and fewer than 2^32, one after the other: each time
// the one that adds most to f beside `fixed` (which may be empty) and those picked before, the
// smallest of several. Calls pick(node, gain). What lies outside of `nodes` and `fixed` does not
// count. O((n + m) log n) for n nodes with m pairs.
template <Graph G, typename Pick>
void PickGreedily(const G& graph, const Objective& objective, std::span<const uint64_t> fixed,
                  std::span<const int64_t> nodes, int64_t count, Pick&& pick) {
  const NodePlaces places(nodes, graph.num_nodes());
  GainHeap heap(std::ssize(nodes));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const double gain = fixed.empty()
                            ? objective.alpha * static_cast<double>(graph.utility(nodes[i]))
                            : GainOf(graph, objective, fixed, nodes[i]);
    heap.Set(static_cast<uint32_t>(i), gain);
  }
  heap.Build();
  for (int64_t picked = 0; picked < count && !heap.empty(); ++picked) {
    const GainHeap::Item best = heap.Pop();
    const int64_t node = nodes[best.entry];
    pick(node, best.gain);
    graph.ForEachNeighbor(node, [&](int64_t other, auto&& similarity) {
      const int64_t place = places.Find(other);
      if (place < 0 || !heap.Holds(static_cast<uint32_t>(place))) return;
      heap.Lower(static_cast<uint32_t>(place),
                 objective.beta() * static_cast<double>(similarity()));
    });
  }
}

// The terms of f(chosen) of the nodes of [from, to); a pair counts for its smaller node.
template <Graph G>
double ObjectiveOf(const G& graph, const Objective& objective, std::span<const uint64_t> chosen,
                   int64_t from, int64_t to) {
  double utilities = 0;
  double similarities = 0;
  ForEachNode(chosen, from, to, [&](int64_t node) {
    utilities += static_cast<double>(graph.utility(node));
    graph.ForEachNeighbor(node, [&](int64_t other, auto&& similarity) {
      if (other > node && Contains(chosen, other)) {
        similarities += static_cast<double>(similarity());
      }
    });
  });
  return objective.alpha * utilities - objective.beta() * similarities;
}

}  // namespace tidemill::subsets

// The objective of pairwise selection, and its greedy algorithm on some of a graph's nodes.
//
//   f(S) = alpha sum of u(v) over v in S - beta sum of s(v, w) over pairs of neighbours in S
//
// with beta = 1 - alpha. What v adds is alpha u(v) - beta sum of s(v, w) over neighbours w in S. It
// can only decrease as S grows, so f is submodular. f is monotone only when a constant is added to
// all utilities, which changes no choice of a given size (Boether et al., MLSys 2025, section 3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "subsets/pairwise/gain_heap.h"
#include "subsets/pairwise/graph.h"
#include "subsets/pairwise/node_set.h"

namespace tidemill::subsets {

// Finds the places of nodes in an ascending list, by a directory with an entry for every few nodes.
// The list does not belong to this object.
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

  // Returns -1 for a node that is not in the list.
  int64_t Find(int64_t node) const {
    const auto block = static_cast<size_t>(node >> shift_);
    const auto end = nodes_.begin() + starts_[block + 1];
    const auto found = std::lower_bound(nodes_.begin() + starts_[block], end, node);
    return found != end && *found == node ? found - nodes_.begin() : -1;
  }

  // The most bytes per node of the list.
  static constexpr int64_t kBytesPerEntry = 4;

 private:
  std::span<const int64_t> nodes_;
  std::vector<uint32_t> starts_;
  int shift_ = 0;
};

// The weights of the two terms of f.
struct Objective {
  double alpha = 0.9;
  double beta() const { return 1 - alpha; }
  double ratio() const { return beta() / alpha; }
};

// Returns the gain of f by `node` when `chosen` are chosen.
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

// The bytes that PickGreedily() holds for each of the nodes from which it picks, including the
// nodes.
inline constexpr int64_t kGreedyBytesPerNode =
    sizeof(int64_t) + GainHeap::kBytesPerEntry + NodePlaces::kBytesPerEntry;

// Picks `count` of `nodes`, one after another. Each time it picks the node that adds most to f,
// given `fixed` (which may be empty) and the earlier picks; among several, the smallest. `nodes`
// must be ascending and fewer than 2^32. Calls pick(node, gain). Nodes outside `nodes` and `fixed`
// do not count. O((n + m) log n) for n nodes with m pairs.
template <Graph G, typename Pick>
void PickGreedily(const G& graph, const Objective& objective, std::span<const uint64_t> fixed,
                  std::span<const int64_t> nodes, int64_t count, Pick&& pick) {
  TIDEMILL_CHECK(nodes.size() < std::numeric_limits<uint32_t>::max());
  TIDEMILL_DCHECK(std::ranges::is_sorted(nodes));
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

// Returns the terms of f(chosen) for the nodes of [from, to). A pair counts for its smaller node.
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

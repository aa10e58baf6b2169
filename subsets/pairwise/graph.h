// The ground set of pairwise selection: nodes 0, 1 ... with utilities, and pairs of similar nodes.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace tidemill::subsets {

// Utilities and similarities are in [0, kGreatestWeight], so that no sum of them overflows a float.
inline constexpr float kGreatestWeight = 1e30F;

// Returns the stored form of a number. NaN and negative numbers carry no information and count as
// 0; infinity counts as the greatest.
inline float Clamped(float value) { return value > 0 ? std::min(value, kGreatestWeight) : 0.0F; }

// A placeholder for the argument of ForEachNeighbor().
struct NeighborVisitor {
  void operator()(int64_t, auto&&) const {}
};

// Several threads may read a graph at once. Its pairs are symmetric: v is a neighbour of w exactly
// when w is a neighbour of v, with the same similarity to the last bit. No node is its own
// neighbour, and no neighbour occurs twice.
template <typename G>
concept Graph = requires(const G& graph, int64_t node) {
  { graph.num_nodes() } -> std::same_as<int64_t>;
  // The most neighbours of a node.
  { graph.max_degree() } -> std::same_as<int64_t>;
  { graph.utility(node) } -> std::same_as<float>;
  // Calls visit(neighbour, similarity) for each neighbour, always in the same order. `similarity`
  // is a callable that returns a float, so that a similarity that is not used costs nothing.
  graph.ForEachNeighbor(node, NeighborVisitor());
};

}  // namespace tidemill::subsets

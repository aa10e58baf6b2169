// The ground set of pairwise selection: nodes 0, 1 ... with utilities, and alike pairs of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace tidemill::subsets {

// Utilities and similarities lie in [0, kGreatest], so that no sum of them overflows a float.
inline constexpr float kGreatest = 1e30F;

// What is stored for a number that may be none: NaN and negative numbers say nothing and count as
// 0, infinity as the greatest.
inline float Sane(float value) { return value > 0 ? std::min(value, kGreatest) : 0.0F; }

// A stand-in for what ForEachNeighbor() calls.
struct NeighborVisitor {
  void operator()(int64_t, auto&&) const {}
};

// A graph is read by several threads at once. Its pairs are symmetric: v is a neighbour of w
// exactly when w is one of v, with the same similarity to the last bit; no node is its own
// neighbour or another's twice.
template <typename G>
concept Graph = requires(const G& graph, int64_t node) {
  { graph.num_nodes() } -> std::same_as<int64_t>;
  // No node has more neighbours.
  { graph.max_degree() } -> std::same_as<int64_t>;
  { graph.utility(node) } -> std::same_as<float>;
  // Calls visit(neighbour, similarity) for each neighbour, in an order that is always the same.
  // `similarity` is a callable that returns a float, so that what nobody asks for costs nothing.
  graph.ForEachNeighbor(node, NeighborVisitor());
};

}  // namespace tidemill::subsets

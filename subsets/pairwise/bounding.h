// Bounds that decide which nodes the best choice contains and which it does not (Boether et al.,
// MLSys 2025, section 4).
//
// Let S' be the included nodes, V the undecided ones, k' the number still to choose, and r = beta /
// alpha. What v adds to f, divided by alpha, is between
//
//   upper(v) = u(v) - r sum of s(v, w) over neighbours w in S'
//   lower(v) = upper(v) - r sum of s(v, w) over neighbours w in V
//
// Shrink: discard v when upper(v) < the k'-th largest lower. k' nodes add at least that much, even
// at worst. A choice with v lacks one of them, which would add more in the place of v. Grow:
// include v when lower(v) > the k'-th largest upper. Fewer than k' nodes can add more than that,
// even at best. A choice without v contains another node, in whose place v would add more. Both
// tests are strict. The best choice therefore stays possible, and it is found if all nodes are
// decided.
//
// At most k' - 1 other nodes are still chosen. The lower bound therefore need only count v's k' - 1
// most similar neighbours in V ("tightened"). Both bounds are rounded outward to floats, which
// keeps the tests on the safe side.
//
// Sampled bounds count only a random share of the neighbours in V. They decide more nodes, and may
// lose the best choice. Still, lower <= upper holds for each node. As above, fewer than k' nodes
// pass the growing test, and the shrinking test leaves at least k'.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/numbers/random.h"
#include "subsets/pairwise/graph.h"
#include "subsets/pairwise/node_set.h"

namespace tidemill::subsets {

// These return the nearest float that is not below, or not above.
inline float RoundedUp(double value) {
  const auto nearest = static_cast<float>(value);
  return static_cast<double>(nearest) < value
             ? std::nextafterf(nearest, std::numeric_limits<float>::infinity())
             : nearest;
}
inline float RoundedDown(double value) { return -RoundedUp(-value); }

// The parameters of the bounds of one pass.
struct BoundsRule {
  double ratio = 0;
  // The most neighbours that can be chosen together with a node: k' - 1 when tightened.
  int64_t most_neighbors = std::numeric_limits<int64_t>::max();
  // The share of the undecided neighbours that count. It is drawn again in each pass.
  std::optional<double> share = std::nullopt;
  RandomKey random = {};
};

struct Bounds {
  float lower = 0;
  float upper = 0;
};

// Thread-compatible.
template <Graph G>
class BoundsOf {
 public:
  BoundsOf(const G& graph, const BoundsRule& rule, std::span<const uint64_t> included,
           std::span<const uint64_t> undecided)
      : graph_(graph),
        rule_(rule),
        included_(included),
        undecided_(undecided),
        ranks_(rule.most_neighbors < graph.max_degree()) {}

  Bounds operator()(int64_t node) {
    const uint64_t draws = rule_.share ? RandomBits(rule_.random, node) : 0;
    double chosen = 0;
    double possible = 0;
    similarities_.clear();
    graph_.ForEachNeighbor(node, [&](int64_t other, auto&& similarity) {
      if (Contains(undecided_, other)) {
        if (rule_.share && !IsDrawn(draws, other)) return;
        if (ranks_) {
          similarities_.push_back(similarity());
        } else {
          possible += static_cast<double>(similarity());
        }
      } else if (Contains(included_, other)) {
        chosen += static_cast<double>(similarity());
      }
    });
    if (ranks_) possible = GreatestSum();
    const double upper = static_cast<double>(graph_.utility(node)) - rule_.ratio * chosen;
    return {.lower = RoundedDown(upper - rule_.ratio * possible), .upper = RoundedUp(upper)};
  }

 private:
  bool IsDrawn(uint64_t draws, int64_t other) const {
    const uint64_t bits = MixBits(draws ^ static_cast<uint64_t>(other));
    return static_cast<double>(bits >> 11) * 0x1.0p-53 < *rule_.share;
  }

  double GreatestSum() {
    std::sort(similarities_.begin(), similarities_.end(), std::greater<>());
    const int64_t count = std::min(std::ssize(similarities_), rule_.most_neighbors);
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
      sum += static_cast<double>(similarities_[static_cast<size_t>(i)]);
    return sum;
  }

  const G& graph_;
  const BoundsRule rule_;
  const std::span<const uint64_t> included_;
  const std::span<const uint64_t> undecided_;
  const bool ranks_;
  std::vector<float> similarities_;
};

}  // namespace tidemill::subsets

// Bounds that decide which nodes the best choice holds and which it does not (Boether et al., MLSys
// 2025, section 4).
//
// With the included nodes S', the undecided V, k' still to choose and r = beta / alpha, what v adds
// to f, over alpha, lies between
//
//   upper(v) = u(v) - r sum of s(v, w) over neighbours w in S'
//   lower(v) = upper(v) - r sum of s(v, w) over neighbours w in V
//
// Shrink: discard v when upper(v) < the k'-th largest lower. For k' nodes have at least that much
// at worst; a choice with v lacks one of them, which in v's place adds more.
// Grow: include v when lower(v) > the k'-th largest upper. For fewer than k' nodes can add more
// than that at best; a choice without v holds another one, in whose place v adds more. Both tests
// are strict, so the best choice stays possible, and if all is decided it is found.
//
// As at most k' - 1 other nodes are still chosen, the lower bound need only count v's k' - 1 most
// similar neighbours in V ("tightened"). Both bounds are rounded outward to floats, which keeps the
// tests on the safe side.
//
// Sampled bounds count only a random share of the neighbours in V. They decide more and may lose
// the best choice; yet lower <= upper holds for each node, so that as above fewer than k' nodes
// pass the test of growing and at least k' are left by that of shrinking.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/mix_bits.h"
#include "base/random.h"
#include "subsets/pairwise/graph.h"
#include "subsets/pairwise/node_set.h"

namespace tidemill::subsets {

// The nearest float that is not below or not above.
inline float RoundedUp(double value) {
  const auto nearest = static_cast<float>(value);
  return static_cast<double>(nearest) < value
             ? std::nextafterf(nearest, std::numeric_limits<float>::infinity())
             : nearest;
}
inline float RoundedDown(double value) { return -RoundedUp(-value); }

// What the bounds of one pass are made of.
struct BoundsRule {
  double ratio = 0;
  // How many of its neighbours a node can at most have beside it: k' - 1 when tightened.
  int64_t most_neighbors = std::numeric_limits<int64_t>::max();
  // Share of the undecided neighbours that count, drawn anew in each pass.
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

#include "subsets/pairwise/bounding.h"

#include <algorithm>

#include "gmock/gmock.h"

#include "subsets/pairwise/testing/small_graphs.h"

namespace tidemill::subsets {
namespace {

using testing::Choose;
using ::testing::ElementsAre;
using testing::RandomGraph;
using testing::Ring;
using testing::SmallGraph;
using tidemill::testing::IsOk;

// One round on one part is the greedy algorithm.
PairwiseOptions Central(double alpha, int64_t count) {
  return {.count = count, .alpha = alpha, .partitions = 1, .rounds = 1};
}

TEST(BoundsOf, AreThoseOfTheExample) {
  const SmallGraph ring = Ring();
  const uint64_t none[] = {0};
  const uint64_t all[] = {0xFF};
  BoundsOf<SmallGraph> bounds(ring, {.ratio = .1 / .9}, none, all);
  const double lower[] = {.7889, .7167, .7, .3944, .3889, .35, .0667, .0333};
  for (int64_t v = 0; v < 8; ++v) {
    EXPECT_NEAR(bounds(v).lower, lower[v], 1e-4);
    EXPECT_EQ(bounds(v).upper, ring.utility(v));
  }
  // At most one other: the most similar neighbour.
  BoundsOf<SmallGraph> tight(ring, {.ratio = .1 / .9, .most_neighbors = 1}, none, all);
  EXPECT_NEAR(tight(2).lower, .8 - .6 / 9, 1e-6);
}

TEST(BoundsOf, AreRoundedToTheSafeSide) {
  for (int64_t i = 0; i < 1000; ++i) {
    const double value = RandomUnit({.seed = 1, .purpose = "test"}, i) - .5;
    EXPECT_LE(static_cast<double>(RoundedDown(value)), value);
    EXPECT_GE(static_cast<double>(RoundedUp(value)), value);
  }
  EXPECT_EQ(RoundedUp(.5), .5F);
  EXPECT_EQ(RoundedDown(-.25), -.25F);
}

TEST(Bounding, DecidesOfTheExampleWhatItsDescriptionSays) {
  const struct {
    double alpha;
    int64_t count;
    int64_t included, discarded, undecided;
    std::vector<int64_t> chosen;
    double objective;
  } cases[] = {{.9, 3, 3, 5, 0, {0, 1, 2}, 2.175},
               {.9, 4, 3, 2, 3, {0, 1, 2, 4}, 2.625},
               {.5, 3, 0, 0, 8, {0, 2, 4}, 1.1},
               {.5, 4, 0, 0, 8, {0, 2, 4, 5}, 1.225}};
  for (const auto& expected : cases) {
    PairwiseOptions options = Central(expected.alpha, expected.count);
    options.tighten = false;
    const auto chosen = Choose(Ring(), options);
    ASSERT_THAT(chosen, IsOk());
    EXPECT_EQ(chosen->nodes, expected.chosen);
    EXPECT_NEAR(chosen->outcome.objective, expected.objective, 1e-6);
    EXPECT_NEAR(Ring().Best(expected.alpha, expected.count), expected.objective, 1e-6);
    EXPECT_EQ(chosen->outcome.num_included, expected.included);
    EXPECT_EQ(chosen->outcome.num_discarded, expected.discarded);
    EXPECT_EQ(chosen->outcome.num_undecided, expected.undecided);
  }
}

TEST(Bounding, DecidesAllOfTheExampleWhenItKnowsThatOnlyOneIsStillWanted) {
  const auto chosen = Choose(Ring(), Central(.9, 4));
  ASSERT_THAT(chosen, IsOk());
  EXPECT_THAT(chosen->nodes, ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(chosen->outcome.num_undecided, 0);
}

// What bounds leave open is tried in all ways; that must reach the best choice of all.
double BestWithin(const SmallGraph& graph, double alpha, int64_t count,
                  const std::vector<int>& decided) {
  double best = -1e30;
  for (uint32_t bits = 0; bits < uint32_t{1} << decided.size(); ++bits) {
    if (std::popcount(bits) != count) continue;
    std::vector<int64_t> chosen;
    bool allowed = true;
    for (size_t v = 0; v < decided.size(); ++v) {
      const bool in = (bits >> v & 1) != 0;
      allowed = allowed && !(in && decided[v] < 0) && !(!in && decided[v] > 0);
      if (in) chosen.push_back(static_cast<int64_t>(v));
    }
    if (allowed) best = std::max(best, graph.Objective(alpha, chosen));
  }
  return best;
}

// The passes as the selection makes them, over plain vectors: 1 included, -1 discarded, 0 open.
std::vector<int> Decide(const SmallGraph& graph, double alpha, int64_t count, bool tighten) {
  std::vector<int> decided(static_cast<size_t>(graph.num_nodes()));
  for (int idle = 0; idle < 2;) {
    for (const bool grow : {false, true}) {
      uint64_t included[] = {0};
      uint64_t open[] = {0};
      for (size_t v = 0; v < decided.size(); ++v) {
        if (decided[v] > 0) Insert(included, static_cast<int64_t>(v));
        if (decided[v] == 0) Insert(open, static_cast<int64_t>(v));
      }
      const int64_t wanted = count - std::popcount(included[0]);
      if (wanted == 0 || std::popcount(open[0]) <= wanted) return decided;
      BoundsRule rule{.ratio = (1 - alpha) / alpha};
      if (tighten) rule.most_neighbors = wanted - 1;
      BoundsOf<SmallGraph> bounds_of(graph, rule, included, open);
      std::vector<float> thresholds;
      ForEachNode(open, 0, graph.num_nodes(), [&](int64_t v) {
        thresholds.push_back(grow ? bounds_of(v).upper : bounds_of(v).lower);
      });
      std::sort(thresholds.begin(), thresholds.end(), std::greater<>());
      const float threshold = thresholds[static_cast<size_t>(wanted - 1)];
      ++idle;
      ForEachNode(open, 0, graph.num_nodes(), [&](int64_t v) {
        const Bounds bounds = bounds_of(v);
        if (grow ? bounds.lower <= threshold : bounds.upper >= threshold) return;
        decided[static_cast<size_t>(v)] = grow ? 1 : -1;
        idle = 0;
      });
    }
  }
  return decided;
}

TEST(Bounding, KeepsTheBestChoiceOfThreeThousandGraphs) {
  int64_t complete = 0;
  int64_t some = 0;
  for (int64_t seed = 0; seed < 3000; ++seed) {
    const int64_t nodes = 5 + seed % 7;
    const SmallGraph graph = RandomGraph(seed, nodes, 1 + seed / 7 % 3);
    const double alpha = std::vector{.9, .7, .5}[static_cast<size_t>(seed % 3)];
    const int64_t count = 1 + seed / 3 % (nodes - 1);
    const double best = graph.Best(alpha, count);
    for (const bool tighten : {false, true}) {
      const std::vector<int> decided = Decide(graph, alpha, count, tighten);
      ASSERT_NEAR(BestWithin(graph, alpha, count, decided), best, 1e-9) << "seed " << seed;
      const auto included = std::count(decided.begin(), decided.end(), 1);
      const auto open = std::count(decided.begin(), decided.end(), 0);
      const bool done = included == count || open <= count - included;
      complete += done;
      some += open < nodes;
    }
  }
  // Bounds that decide nothing would pass everything above.
  EXPECT_GT(complete, 500);
  EXPECT_GT(some, 1500);
}

TEST(Bounding, OfASelectionDecidesWhatTheBoundsDo) {
  for (int64_t seed = 0; seed < 60; ++seed) {
    const int64_t nodes = 5 + seed % 7;
    const SmallGraph graph = RandomGraph(seed, nodes, 1 + seed / 7 % 3);
    const double alpha = seed % 2 == 0 ? .9 : .7;
    PairwiseOptions options = Central(alpha, 1 + seed / 3 % (nodes - 1));
    options.tighten = seed % 3 == 0;
    const std::vector<int> decided = Decide(graph, alpha, options.count, options.tighten);
    const auto included = std::count(decided.begin(), decided.end(), 1);
    const auto open = std::count(decided.begin(), decided.end(), 0);
    const auto chosen = Choose(graph, options);
    ASSERT_THAT(chosen, IsOk());
    if (included == options.count || open <= options.count - included) {
      EXPECT_EQ(chosen->outcome.num_undecided, 0) << "seed " << seed;
      EXPECT_NEAR(chosen->outcome.objective, graph.Best(alpha, options.count), 1e-9);
    } else {
      EXPECT_EQ(chosen->outcome.num_undecided, open) << "seed " << seed;
      EXPECT_EQ(chosen->outcome.num_included, included) << "seed " << seed;
    }
  }
}

TEST(Bounding, WithSampledNeighboursDecidesMoreAndChoosesExactlyAsMany) {
  const SmallGraph graph = RandomGraph(1, 2000, 5);
  for (const double alpha : {.9, .5}) {
    for (const int64_t count : {200, 1000, 1600}) {
      PairwiseOptions options = Central(alpha, count);
      const auto exact = Choose(graph, options);
      options.sampled_bounding = .3;
      const auto sampled = Choose(graph, options);
      ASSERT_THAT(exact, IsOk());
      ASSERT_THAT(sampled, IsOk());
      EXPECT_EQ(std::ssize(sampled->nodes), count);
      EXPECT_LE(sampled->outcome.num_undecided, exact->outcome.num_undecided);
      EXPECT_LE(sampled->outcome.num_included, count);
      EXPECT_GE(sampled->outcome.num_included + sampled->outcome.num_undecided, count);
    }
  }
}

TEST(Bounding, OfManyNodesLosesNothingAgainstGreedyOnAll) {
  const SmallGraph graph = RandomGraph(1, 2000, 5);
  PairwiseOptions options = Central(.9, 200);
  const auto bounded = Choose(graph, options);
  options.bounding = false;
  const auto greedy = Choose(graph, options);
  ASSERT_THAT(bounded, IsOk());
  ASSERT_THAT(greedy, IsOk());
  EXPECT_GT(bounded->outcome.num_discarded, 1000);
  EXPECT_GE(bounded->outcome.objective, .9999 * greedy->outcome.objective);
}

}  // namespace
}  // namespace tidemill::subsets

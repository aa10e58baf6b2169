#include "subsets/pairwise/greedy.h"

#include <algorithm>
#include <numeric>

#include "gmock/gmock.h"

#include "subsets/pairwise/testing/small_graphs.h"

namespace tidemill::subsets {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::RandomGraph;
using testing::Ring;
using testing::SmallGraph;

struct Picks {
  std::vector<int64_t> nodes;
  std::vector<double> gains;
};

Picks Pick(const SmallGraph& graph, double alpha, int64_t count, std::vector<int64_t> among = {},
           std::vector<uint64_t> fixed = {}) {
  if (among.empty()) {
    among.resize(graph.utilities.size());
    std::iota(among.begin(), among.end(), 0);
  }
  Picks picks;
  PickGreedily(graph, Objective{alpha}, fixed, among, count, [&](int64_t node, double gain) {
    picks.nodes.push_back(node);
    picks.gains.push_back(gain);
  });
  return picks;
}

TEST(PickGreedily, PicksInTheExampleWhatItsDescriptionDoes) {
  EXPECT_THAT(Pick(Ring(), .9, 3).nodes, ElementsAre(0, 2, 1));
  EXPECT_THAT(Pick(Ring(), .9, 4).nodes, ElementsAre(0, 2, 1, 4));
  EXPECT_THAT(Pick(Ring(), .5, 3).nodes, ElementsAre(0, 2, 4));
  EXPECT_THAT(Pick(Ring(), .5, 4).nodes, ElementsAre(0, 2, 4, 5));
}

TEST(PickGreedily, InTwoPartsOfTheExampleLosesWhatTheirPairsHide) {
  const auto in_parts = [](const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    std::vector<int64_t> both = Pick(Ring(), .9, 2, a).nodes;
    for (const int64_t node : Pick(Ring(), .9, 2, b).nodes) both.push_back(node);
    std::sort(both.begin(), both.end());
    return both;
  };
  const auto odd_even = in_parts({0, 2, 4, 6}, {1, 3, 5, 7});
  EXPECT_THAT(odd_even, ElementsAre(0, 1, 2, 3));
  EXPECT_NEAR(Ring().Objective(.9, odd_even), 2.61, 1e-6);
  const auto halves = in_parts({0, 1, 2, 3}, {4, 5, 6, 7});
  EXPECT_THAT(halves, ElementsAre(0, 2, 4, 5));
  EXPECT_NEAR(Ring().Objective(.9, halves), 2.365, 1e-6);
}

TEST(PickGreedily, TakesInEachStepWhatAddsMost) {
  for (int64_t seed = 0; seed < 200; ++seed) {
    const SmallGraph graph = RandomGraph(seed, 4 + seed % 9, 1 + seed % 4);
    const double alpha = seed % 2 == 0 ? .9 : .3;
    const int64_t count = 1 + seed % std::ssize(graph.utilities);
    EXPECT_EQ(Pick(graph, alpha, count).nodes, graph.Greedily(alpha, count)) << "seed " << seed;
  }
}

TEST(PickGreedily, GainsDoNotIncreaseAndAddUpToTheObjective) {
  for (int64_t seed = 0; seed < 50; ++seed) {
    const SmallGraph graph = RandomGraph(seed, 300, 5);
    const Picks picks = Pick(graph, .6, 120);
    EXPECT_TRUE(std::is_sorted(picks.gains.rbegin(), picks.gains.rend()));
    EXPECT_NEAR(std::reduce(picks.gains.begin(), picks.gains.end()),
                graph.Objective(.6, picks.nodes), 1e-9);
  }
}

TEST(PickGreedily, DoesNotDependOnHowNodesAreNumbered) {
  const SmallGraph graph = RandomGraph(3, 200, 5);
  const Permutation renamed({.seed = 5, .purpose = "test"}, 200);
  SmallGraph other{.utilities = std::vector<float>(200), .pairs = graph.pairs};
  for (int64_t v = 0; v < 200; ++v) other.utilities[renamed(v)] = graph.utilities[v];
  for (Pair& pair : other.pairs) {
    pair.from = renamed(pair.from);
    pair.to = renamed(pair.to);
  }
  std::vector<int64_t> expected = Pick(graph, .7, 80).nodes;
  for (int64_t& node : expected) node = renamed(node);
  EXPECT_EQ(Pick(other, .7, 80).nodes, expected);
}

TEST(PickGreedily, TakesOfEqualNodesTheFirst) {
  const SmallGraph graph{.utilities = {.5F, .5F, .5F, .5F}, .pairs = {}};
  EXPECT_THAT(Pick(graph, .9, 2).nodes, ElementsAre(0, 1));
}

TEST(PickGreedily, CountsWhatIsFixedAndNothingElseOutside) {
  // 1 is hardly worth anything beside the fixed 0; 7, a neighbour outside, does not count for 6.
  EXPECT_THAT(Pick(Ring(), .3, 1, {1, 6}, {0b1}).nodes, ElementsAre(6));
  EXPECT_THAT(Pick(Ring(), .3, 1, {1, 6}).nodes, ElementsAre(1));
}

TEST(PickGreedily, PicksNothingOfNothing) {
  EXPECT_THAT(Pick({.utilities = {}, .pairs = {}}, .9, 3).nodes, IsEmpty());
  EXPECT_THAT(Pick(Ring(), .9, 0).nodes, IsEmpty());
}

TEST(NodePlaces, FindsEveryNodeAndNoOther) {
  std::vector<int64_t> nodes;
  for (int64_t node = 0; node < 100'000; node += 1 + node % 97) nodes.push_back(node);
  // All in a row, which the directory takes for one place.
  for (int64_t node = 900'000; node < 900'400; ++node) nodes.push_back(node);
  const NodePlaces places(nodes, 1'000'000);
  size_t next = 0;
  for (int64_t node = 0; node < 1'000'000; ++node) {
    const bool there = next < nodes.size() && nodes[next] == node;
    ASSERT_EQ(places.Find(node), there ? static_cast<int64_t>(next) : -1) << node;
    next += there;
  }
}

}  // namespace
}  // namespace tidemill::subsets

#include "subsets/pairwise/selection.h"

#include <algorithm>
#include <limits>
#include <set>

#include "gmock/gmock.h"

#include "base/threads/worker_pool.h"
#include "subsets/pairwise/testing/small_graphs.h"

namespace tidemill::subsets {
namespace {

using testing::Choose;
using testing::Chosen;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RandomGraph;
using ::testing::SizeIs;
using testing::SmallGraph;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

TEST(NodesAfterRound, SinksInAStraightLine) {
  std::vector<int64_t> after;
  for (int64_t round = 1; round <= 4; ++round) {
    after.push_back(NodesAfterRound(1000, 100, 4, round, .75));
  }
  EXPECT_THAT(after, ElementsAre(606, 438, 269, 100));
}

TEST(SelectPairwise, OnOnePartIsTheGreedyAlgorithm) {
  for (int64_t seed = 0; seed < 20; ++seed) {
    const SmallGraph graph = RandomGraph(seed, 60, 4);
    std::vector<int64_t> expected = graph.Greedily(.7, 20);
    std::sort(expected.begin(), expected.end());
    for (const int64_t rounds : {1, 5}) {
      const auto chosen = Choose(
          graph, {.count = 20, .alpha = .7, .partitions = 1, .rounds = rounds, .bounding = false});
      ASSERT_THAT(chosen, IsOk());
      EXPECT_EQ(chosen->nodes, expected);
      EXPECT_NEAR(chosen->outcome.objective, graph.Objective(.7, expected), 1e-9);
    }
  }
}

// The mean objective over graphs and seeds, as a share of the way that the greedy algorithm on one
// part goes from nothing.
double MeanQuality(double alpha, int64_t partitions, int64_t rounds, bool adaptive) {
  double sum = 0;
  constexpr int64_t kSeeds = 6;
  for (int64_t seed = 0; seed < kSeeds; ++seed) {
    const SmallGraph graph = RandomGraph(100 + seed, 2000, 5);
    PairwiseOptions options{.count = 200,
                            .alpha = alpha,
                            .partitions = partitions,
                            .rounds = rounds,
                            .adaptive = adaptive,
                            .bounding = false,
                            .seed = seed};
    const auto chosen = Choose(graph, options);
    options.partitions = 1;
    const auto central = Choose(graph, options);
    EXPECT_THAT(chosen, IsOk());
    EXPECT_THAT(central, IsOk());
    EXPECT_THAT(chosen->nodes, SizeIs(200));
    sum += chosen->outcome.objective / central->outcome.objective;
  }
  return sum / kSeeds;
}

TEST(SelectPairwise, GainsByRoundsAndByFewerPartsInLaterOnes) {
  for (const int64_t partitions : {8, 32}) {
    for (const double alpha : {.9, .5}) {
      const double once = MeanQuality(alpha, partitions, 1, true);
      const double fixed = MeanQuality(alpha, partitions, 16, false);
      const double adaptive = MeanQuality(alpha, partitions, 16, true);
      EXPECT_GT(adaptive, fixed) << partitions << " partitions, alpha " << alpha;
      EXPECT_GT(adaptive, once) << partitions << " partitions, alpha " << alpha;
      EXPECT_LE(adaptive, 1.0001);
      EXPECT_GT(adaptive, alpha == .9 ? .98 : .8);
    }
  }
}

TEST(SelectPairwise, CountsPairsWithWhatBoundsIncludedInTheRounds) {
  // 0 is included at once; its neighbours 1 to 4 are nearly worthless beside it, and without that
  // the greedy algorithm would take them for their utility.
  SmallGraph graph{.utilities = {1.5F}, .pairs = {}};
  for (int64_t v = 1; v <= 4; ++v) {
    graph.utilities.push_back(.85F);
    graph.pairs.push_back({0, v, .05F});
  }
  for (int64_t v = 5; v < 30; ++v) {
    graph.utilities.push_back(.84F + .0001F * static_cast<float>(v));
    if (v > 5) graph.pairs.push_back({v - 1, v, .02F});
  }
  PairwiseOptions options{.count = 5, .alpha = .5, .partitions = 1, .rounds = 1};
  const auto chosen = Choose(graph, options);
  ASSERT_THAT(chosen, IsOk());
  EXPECT_GE(chosen->outcome.num_included, 1);
  EXPECT_GT(chosen->outcome.num_undecided, 0);
  options.bounding = false;
  const auto greedy = Choose(graph, options);
  EXPECT_GE(chosen->outcome.objective, greedy->outcome.objective - 1e-9);
  EXPECT_TRUE(std::none_of(chosen->nodes.begin(), chosen->nodes.end(),
                           [](int64_t v) { return v >= 1 && v <= 4; }));
}

TEST(SelectPairwise, ChoosesTheSameWithAnyThreadsAndRanges) {
  const SmallGraph graph = RandomGraph(5, 3000, 5);
  PairwiseOptions options{.count = 400, .alpha = .8, .partitions = 6, .rounds = 4};
  const auto expected = Choose(graph, options);
  ASSERT_THAT(expected, IsOk());
  EXPECT_THAT(expected->nodes, SizeIs(400));
  WorkerPool pool("test", 3);
  for (const int64_t range : {64, 192, 1024}) {
    for (WorkerPool* threads : {static_cast<WorkerPool*>(nullptr), &pool}) {
      options.range_nodes = range;
      options.pool = threads;
      const auto chosen = Choose(graph, options);
      ASSERT_THAT(chosen, IsOk());
      EXPECT_EQ(chosen->nodes, expected->nodes);
      EXPECT_NEAR(chosen->outcome.objective, expected->outcome.objective, 1e-9);
    }
  }
}

TEST(SelectPairwise, DealsAnewWithAnotherSeedAndTrigger) {
  const SmallGraph graph = RandomGraph(5, 3000, 5);
  std::set<std::vector<int64_t>> different;
  for (const int64_t seed : {1, 2}) {
    for (const int64_t trigger : {1, 2}) {
      const auto chosen =
          Choose(graph, {.count = 400, .alpha = .5, .rounds = 2, .seed = seed, .trigger = trigger});
      ASSERT_THAT(chosen, IsOk());
      EXPECT_THAT(chosen->nodes, SizeIs(400));
      different.insert(chosen->nodes);
    }
  }
  EXPECT_THAT(different, SizeIs(4));
}

TEST(SelectPairwise, ChoosesAllWhenThereAreNoMoreAndNoneWhenNoneIsWanted) {
  const SmallGraph graph = RandomGraph(1, 100, 3);
  for (const bool bounding : {true, false}) {
    for (const int64_t count : {100, 1000}) {
      const auto all = Choose(graph, {.count = count, .bounding = bounding});
      ASSERT_THAT(all, IsOk());
      EXPECT_THAT(all->nodes, SizeIs(100));
      EXPECT_EQ(all->outcome.num_chosen, 100);
      EXPECT_NEAR(all->outcome.objective, graph.Objective(.9, all->nodes), 1e-9);
    }
    const auto none = Choose(graph, {.count = 0, .bounding = bounding});
    ASSERT_THAT(none, IsOk());
    EXPECT_THAT(none->nodes, IsEmpty());
    EXPECT_EQ(none->outcome.objective, 0);
  }
}

TEST(SelectPairwise, ChoosesFromOneNodeAndFromNone) {
  const auto one = Choose({.utilities = {.5F}, .pairs = {}}, {.count = 1});
  ASSERT_THAT(one, IsOk());
  EXPECT_THAT(one->nodes, ElementsAre(0));
  const auto none = Choose({.utilities = {}, .pairs = {}}, {.count = 1});
  ASSERT_THAT(none, IsOk());
  EXPECT_THAT(none->nodes, IsEmpty());
}

TEST(SelectPairwise, WithoutPairsChoosesTheMostUseful) {
  SmallGraph graph = RandomGraph(1, 500, 0);
  ASSERT_THAT(graph.pairs, IsEmpty());
  const auto chosen = Choose(graph, {.count = 50});
  ASSERT_THAT(chosen, IsOk());
  std::vector<float> sorted = graph.utilities;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  ASSERT_THAT(chosen->nodes, SizeIs(50));
  for (const int64_t node : chosen->nodes) {
    EXPECT_GE(graph.utilities[static_cast<size_t>(node)], sorted[49]);
  }
}

TEST(SelectPairwise, TakesPairsThatAreNotAlikeForNone) {
  SmallGraph graph = RandomGraph(2, 500, 4);
  const SmallGraph bare{.utilities = graph.utilities, .pairs = {}};
  for (Pair& pair : graph.pairs) pair.similarity = 0;
  const auto chosen = Choose(graph, {.count = 50});
  const auto expected = Choose(bare, {.count = 50});
  ASSERT_THAT(chosen, IsOk());
  EXPECT_EQ(chosen->nodes, expected->nodes);
}

TEST(SelectPairwise, WhereAllAreEquallyUsefulChoosesExactlyAsMany) {
  for (const float utility : {0.0F, .5F}) {
    SmallGraph graph = RandomGraph(3, 400, 4);
    for (float& value : graph.utilities) value = utility;
    const auto chosen = Choose(graph, {.count = 37, .alpha = .5, .partitions = 5, .rounds = 3});
    ASSERT_THAT(chosen, IsOk());
    EXPECT_THAT(chosen->nodes, SizeIs(37));
  }
}

TEST(SelectPairwise, PutsUtilitiesThatAreNotNumbersLastAndInfinityFirst) {
  SmallGraph graph = RandomGraph(4, 100, 2);
  graph.utilities[10] = std::numeric_limits<float>::quiet_NaN();
  graph.utilities[20] = std::numeric_limits<float>::infinity();
  graph.utilities[30] = -std::numeric_limits<float>::infinity();
  for (const bool bounding : {true, false}) {
    const auto chosen = Choose(graph, {.count = 50, .bounding = bounding});
    ASSERT_THAT(chosen, IsOk());
    const std::set<int64_t> set(chosen->nodes.begin(), chosen->nodes.end());
    EXPECT_THAT(set, SizeIs(50));
    EXPECT_TRUE(set.contains(20));
    EXPECT_FALSE(set.contains(10));
    EXPECT_FALSE(set.contains(30));
  }
}

TEST(SelectPairwise, AtAlphaOneLooksAtUtilitiesOnly) {
  const SmallGraph graph = RandomGraph(6, 300, 4);
  const auto chosen = Choose(graph, {.count = 30, .alpha = 1});
  const auto expected =
      Choose({.utilities = graph.utilities, .pairs = {}}, {.count = 30, .alpha = 1});
  ASSERT_THAT(chosen, IsOk());
  EXPECT_EQ(chosen->nodes, expected->nodes);
}

TEST(SelectPairwise, MoreRoundsAndPartsThanNodesDoNoHarm) {
  const SmallGraph graph = RandomGraph(7, 20, 3);
  const auto chosen = Choose(
      graph, {.count = 5, .alpha = .5, .partitions = 1000, .rounds = 100, .bounding = false});
  ASSERT_THAT(chosen, IsOk());
  EXPECT_THAT(chosen->nodes, SizeIs(5));
}

TEST(SelectPairwise, LeavesNothingButTheChosenSetInItsFolder) {
  const testing::TestFolder folder;
  const auto outcome = SelectPairwise(ImplicitGraphSpec{.num_nodes = 5000},
                                      {.count = 500, .alpha = .5}, folder.path());
  ASSERT_THAT(outcome, IsOk());
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    files.push_back(entry.path().string());
  }
  EXPECT_THAT(files, ElementsAre(outcome->chosen_file));
}

TEST(SelectPairwise, RefusesOptionsThatMakeNoSense) {
  const SmallGraph graph = RandomGraph(1, 10, 1);
  const auto expect_refusal = [&](const PairwiseOptions& options, const char* text) {
    EXPECT_THAT(Choose(graph, options),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
  };
  expect_refusal({.count = 1, .alpha = 0}, "alpha is 0");
  expect_refusal({.count = 1, .alpha = std::numeric_limits<double>::quiet_NaN()}, "alpha is nan");
  expect_refusal({.count = -1}, "-1 nodes");
  expect_refusal({.count = 1, .partitions = 0}, "0 partitions");
  expect_refusal({.count = 1, .sampled_bounding = 1.5}, "share of sampled bounding is 1.5");
  expect_refusal({.count = 1, .range_nodes = 100}, "not a multiple of 64");
}

}  // namespace
}  // namespace tidemill::subsets

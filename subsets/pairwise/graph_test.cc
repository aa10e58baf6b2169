#include "subsets/pairwise/graph.h"

#include <limits>
#include <map>

#include "gmock/gmock.h"

#include "subsets/pairwise/csr_graph.h"
#include "subsets/pairwise/implicit_graph.h"
#include "subsets/pairwise/testing/small_graphs.h"

namespace tidemill::subsets {
namespace {

using ::testing::HasSubstr;
using testing::WriteCsrGraph;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

template <Graph G>
std::map<int64_t, float> NeighborsOf(const G& graph, int64_t node) {
  std::map<int64_t, float> neighbors;
  graph.ForEachNeighbor(node, [&](int64_t other, auto&& similarity) {
    EXPECT_TRUE(neighbors.emplace(other, similarity()).second) << node << " has it twice";
  });
  return neighbors;
}

TEST(ImplicitGraph, IsSymmetricToTheLastBit) {
  for (const int64_t nodes : {2, 3, 10, 11, 12, 997, 100'003}) {
    const ImplicitGraph graph({.num_nodes = nodes, .neighbors = 10, .seed = 7});
    for (int64_t v = 0; v < nodes; v += 1 + nodes / 500) {
      const auto neighbors = NeighborsOf(graph, v);
      EXPECT_EQ(std::ssize(neighbors), graph.max_degree());
      for (const auto& [w, similarity] : neighbors) {
        ASSERT_NE(v, w);
        EXPECT_GE(similarity, 0);
        EXPECT_LE(similarity, 1.0001F);
        EXPECT_EQ(NeighborsOf(graph, w).at(v), similarity);
      }
    }
  }
}

TEST(ImplicitGraph, HasNeighboursThatAreAlikeAndOthersThatAreNot) {
  const ImplicitGraph graph({.num_nodes = 1'000'000, .neighbors = 10, .seed = 7});
  int64_t alike = 0;
  double utilities = 0;
  for (int64_t v = 0; v < 1000; ++v) {
    for (const auto& [w, similarity] : NeighborsOf(graph, v)) alike += similarity > .6F;
    utilities += static_cast<double>(graph.utility(v));
  }
  EXPECT_NEAR(static_cast<double>(alike), 6000, 500);
  EXPECT_NEAR(utilities / 1000, .5, .05);
}

TEST(ImplicitGraph, WithoutANeighbourToHaveHasNone) {
  EXPECT_EQ(ImplicitGraph({.num_nodes = 1}).max_degree(), 0);
  EXPECT_EQ(ImplicitGraph({.num_nodes = 0}).max_degree(), 0);
  EXPECT_THAT(OpenGraph(ImplicitGraphSpec{.num_nodes = -1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-1 nodes")));
}

TEST(CsrGraph, HoldsEachPairFromBothEnds) {
  const testing::TestFolder folder;
  const auto ring = testing::Ring();
  ASSERT_THAT(WriteCsrGraph(folder.path(), ring.utilities, ring.pairs), IsOk());
  const auto graph = CsrGraph::Open(folder.path());
  ASSERT_THAT(graph, IsOk());
  EXPECT_EQ(graph->num_nodes(), 8);
  EXPECT_EQ(graph->num_edges(), 8);
  EXPECT_EQ(graph->max_degree(), 2);
  EXPECT_EQ(NeighborsOf(*graph, 0), (std::map<int64_t, float>{{1, .9F}, {7, .1F}}));
  EXPECT_EQ(NeighborsOf(*graph, 7), (std::map<int64_t, float>{{0, .1F}, {6, .5F}}));
}

TEST(CsrGraph, TakesNumbersThatAreNoneForWhatTheyCanMean) {
  const testing::TestFolder folder;
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float utilities[] = {kNaN, kInfinity, -kInfinity, .5F};
  const Pair pairs[] = {{0, 1, kNaN}, {0, 2, kInfinity}, {0, 3, -.5F}};
  ASSERT_THAT(WriteCsrGraph(folder.path(), utilities, pairs), IsOk());
  const auto graph = CsrGraph::Open(folder.path());
  EXPECT_EQ(graph->utility(0), 0);
  EXPECT_EQ(graph->utility(1), kGreatestWeight);
  EXPECT_EQ(graph->utility(2), 0);
  EXPECT_EQ(NeighborsOf(*graph, 0),
            (std::map<int64_t, float>{{1, 0.0F}, {2, kGreatestWeight}, {3, 0.0F}}));
}

TEST(CsrGraph, RefusesWhatIsNotAGraph) {
  const testing::TestFolder folder;
  const float utilities[] = {1, 1};
  const auto write = [&](std::vector<Pair> pairs) {
    return WriteCsrGraph(folder.path(), utilities, pairs);
  };
  EXPECT_THAT(write({{0, 2, 1}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("(0, 2)")));
  EXPECT_THAT(write({{1, 1, 1}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("(1, 1)")));
  EXPECT_THAT(write({{0, 1, 1}, {1, 0, 1}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("twice")));
  ASSERT_THAT(write({{0, 1, 1}}), IsOk());
  std::filesystem::resize_file(folder.path() + "/edges", 8);
  EXPECT_THAT(CsrGraph::Open(folder.path()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("write the graph again")));
  EXPECT_THAT(CsrGraph::Open(folder.path() + "/nowhere"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nowhere")));
}

}  // namespace
}  // namespace tidemill::subsets

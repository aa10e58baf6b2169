#include "subsets/pairwise/knn_graph.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "gmock/gmock.h"

#include "subsets/pairwise/testing/small_graphs.h"

namespace tidemill::subsets {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// Rows around a few random directions.
std::vector<float> SomeRows(int64_t count, int64_t width) {
  const RandomKey random{.seed = 1, .purpose = "test"};
  std::vector<float> values;
  for (int64_t row = 0; row < count; ++row) {
    for (int64_t i = 0; i < width; ++i) {
      const double center = RandomUnit(random, -1 - (row % 37) * width - i);
      values.push_back(
          static_cast<float>(center - .5 + .3 * (RandomUnit(random, row * width + i) - .5)));
    }
  }
  return values;
}

double Cosine(const Rows& rows, int64_t a, int64_t b) {
  double product = 0, square_a = 0, square_b = 0;
  for (int64_t i = 0; i < rows.width; ++i) {
    const double x = rows.Row(a)[static_cast<size_t>(i)];
    const double y = rows.Row(b)[static_cast<size_t>(i)];
    product += x * y;
    square_a += x * x;
    square_b += y * y;
  }
  return square_a > 0 && square_b > 0 ? product / std::sqrt(square_a * square_b) : 0;
}

struct Built {
  testing::TestFolder folder;
  std::optional<CsrGraph> graph;
};

void Build(const Rows& rows, const KnnOptions& options, Built& built) {
  const std::vector<float> utilities(static_cast<size_t>(rows.num_rows), .5F);
  ASSERT_THAT(WriteKnnGraph(rows, utilities, options, built.folder.path()), IsOk());
  auto graph = CsrGraph::Open(built.folder.path());
  ASSERT_THAT(graph, IsOk());
  built.graph.emplace(*std::move(graph));
}

void ExpectSymmetric(const CsrGraph& graph) {
  for (int64_t v = 0; v < graph.num_nodes(); ++v) {
    for (const CsrEdge& edge : graph.Neighbors(v)) {
      const auto back = graph.Neighbors(edge.node);
      const auto found = std::ranges::find(back, static_cast<uint32_t>(v), &CsrEdge::node);
      ASSERT_NE(found, back.end());
      ASSERT_EQ(found->similarity, edge.similarity);
      ASSERT_GT(edge.similarity, 0);
      ASSERT_LE(edge.similarity, 1);
    }
  }
}

TEST(WriteKnnGraph, HasTheNearestNeighboursOfEachRow) {
  constexpr int64_t kCount = 400;
  const std::vector<float> values = SomeRows(kCount, 12);
  const Rows rows{.values = values, .num_rows = kCount, .width = 12};
  Built built;
  ASSERT_NO_FATAL_FAILURE(Build(rows, {.neighbors = 7}, built));
  ExpectSymmetric(*built.graph);
  EXPECT_EQ(built.graph->utility(3), .5F);
  std::vector<std::set<int64_t>> expected(kCount);
  for (int64_t v = 0; v < kCount; ++v) {
    std::vector<std::pair<double, int64_t>> others;
    for (int64_t w = 0; w < kCount; ++w) {
      if (w != v) others.emplace_back(-Cosine(rows, v, w), w);
    }
    std::sort(others.begin(), others.end());
    for (int64_t i = 0; i < 7; ++i) {
      const int64_t w = others[static_cast<size_t>(i)].second;
      expected[static_cast<size_t>(v)].insert(w);
      expected[static_cast<size_t>(w)].insert(v);
    }
  }
  for (int64_t v = 0; v < kCount; ++v) {
    std::set<int64_t> neighbors;
    for (const CsrEdge& edge : built.graph->Neighbors(v)) {
      neighbors.insert(edge.node);
      EXPECT_NEAR(edge.similarity, Cosine(rows, v, edge.node), 1e-5);
    }
    EXPECT_EQ(neighbors, expected[static_cast<size_t>(v)]) << v;
  }
}

TEST(WriteKnnGraph, ByClustersFindsNearlyAllOfThem) {
  constexpr int64_t kCount = 6000;
  const std::vector<float> values = SomeRows(kCount, 16);
  const Rows rows{.values = values, .num_rows = kCount, .width = 16};
  Built exact, clustered;
  ASSERT_NO_FATAL_FAILURE(Build(rows, {.neighbors = 5}, exact));
  ASSERT_NO_FATAL_FAILURE(Build(rows, {.neighbors = 5, .exact_rows = 1000}, clustered));
  ExpectSymmetric(*clustered.graph);
  int64_t found = 0;
  int64_t all = 0;
  for (int64_t v = 0; v < kCount; ++v) {
    std::set<int64_t> neighbors;
    for (const CsrEdge& edge : clustered.graph->Neighbors(v)) neighbors.insert(edge.node);
    for (const CsrEdge& edge : exact.graph->Neighbors(v)) {
      ++all;
      found += static_cast<int64_t>(neighbors.contains(edge.node));
    }
  }
  EXPECT_GT(static_cast<double>(found), .9 * static_cast<double>(all));
}

TEST(WriteKnnGraph, IsTheSameWithAnyThreadsAndBudget) {
  constexpr int64_t kCount = 5000;
  const std::vector<float> values = SomeRows(kCount, 8);
  const Rows rows{.values = values, .num_rows = kCount, .width = 8};
  WorkerPool pool("test", 3);
  for (const int64_t exact_rows : {1000, 10'000}) {
    Built alone, together, small;
    const KnnOptions options{.neighbors = 6, .exact_rows = exact_rows};
    ASSERT_NO_FATAL_FAILURE(Build(rows, options, alone));
    KnnOptions other = options;
    other.pool = &pool;
    ASSERT_NO_FATAL_FAILURE(Build(rows, other, together));
    other.memory_budget = 1;
    ASSERT_NO_FATAL_FAILURE(Build(rows, other, small));
    for (int64_t v = 0; v < kCount; ++v) {
      const auto expected = alone.graph->Neighbors(v);
      for (const Built* built : {&together, &small}) {
        const auto neighbors = built->graph->Neighbors(v);
        ASSERT_THAT(neighbors, SizeIs(expected.size()));
        for (size_t i = 0; i < expected.size(); ++i) {
          ASSERT_EQ(neighbors[i].node, expected[i].node);
          ASSERT_EQ(neighbors[i].similarity, expected[i].similarity);
        }
      }
    }
  }
}

TEST(WriteKnnGraph, LeavesOutPairsThatAreNotAlike) {
  // Opposite, at right angles, and nothing at all.
  const float values[] = {1, 0, -1, 0, 0, 1, 0, 0};
  const Rows rows{.values = values, .num_rows = 4, .width = 2};
  Built built;
  ASSERT_NO_FATAL_FAILURE(Build(rows, {.neighbors = 10}, built));
  EXPECT_EQ(built.graph->num_edges(), 0);
  EXPECT_EQ(built.graph->num_nodes(), 4);
}

TEST(WriteKnnGraph, OfRowsThatAreAllTheSameHasPairsOfSimilarityOne) {
  const std::vector<float> values(3000, .25F);
  const Rows rows{.values = values, .num_rows = 1000, .width = 3};
  for (const int64_t exact_rows : {100, 1000}) {
    Built built;
    ASSERT_NO_FATAL_FAILURE(Build(rows, {.neighbors = 3, .exact_rows = exact_rows}, built));
    ExpectSymmetric(*built.graph);
    for (int64_t v = 0; v < 1000; ++v) {
      EXPECT_GE(std::ssize(built.graph->Neighbors(v)), 3);
      EXPECT_NEAR(built.graph->Neighbors(v)[0].similarity, 1, 1e-6);
    }
  }
}

TEST(WriteKnnGraph, OfOneRowOrNoneHasNoPairs) {
  const float values[] = {1, 2};
  for (const int64_t count : {0, 1}) {
    Built built;
    const Rows rows{.values = std::span(values).first(static_cast<size_t>(2 * count)),
                    .num_rows = count,
                    .width = 2};
    ASSERT_NO_FATAL_FAILURE(Build(rows, {}, built));
    EXPECT_EQ(built.graph->num_nodes(), count);
    EXPECT_EQ(built.graph->num_edges(), 0);
  }
  const testing::TestFolder folder;
  EXPECT_THAT(WriteKnnGraph({}, values, {}, folder.path()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("2 utilities do not fit a graph of 0 rows")));
}

}  // namespace
}  // namespace tidemill::subsets

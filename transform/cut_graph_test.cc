#include "transform/cut_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "config/config.h"
#include "transform/testing/random_graphs.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::MustBuild;
using testing::RandomCase;
using testing::RandomCases;

constexpr RunContext kTraining{.training = true, .seed = 7, .trigger = 2, .epoch = 1};

// What a graph makes, as bytes: tensors, bad samples with their keys and reasons, counts.
struct Made {
  std::string rows;
  std::vector<std::pair<int64_t, std::string>> bad;
  int64_t num_filtered = 0;

  friend bool operator==(const Made&, const Made&) = default;
};

Made AtOnce(const Graph& graph, const batch::Batch& samples, const FittedState& fitted) {
  const auto result = graph.Run(samples, &fitted, kTraining);
  EXPECT_THAT(result, tidemill::testing::IsOk());
  Made made{batch::Encode(result->batch), {}, result->num_filtered};
  for (const BadSample& bad : result->bad) {
    made.bad.emplace_back(samples.keys()[static_cast<size_t>(bad.row)], bad.reason);
  }
  return made;
}

Made InTwo(const CutGraph& cut, const batch::Batch& samples, const FittedState& fitted) {
  const auto block = cut.Prepare(samples, &fitted, kTraining, nullptr);
  EXPECT_THAT(block, tidemill::testing::IsOk());
  const auto result = cut.Finish(block->rows, &fitted, kTraining, nullptr);
  EXPECT_THAT(result, tidemill::testing::IsOk());
  Made made{batch::Encode(result->batch), {}, 0};
  made.num_filtered = std::ssize(block->filtered) + result->num_filtered;
  for (const BadSample& bad : block->bad) {
    made.bad.emplace_back(samples.keys()[static_cast<size_t>(bad.row)], bad.reason);
  }
  for (const BadSample& bad : result->bad) {
    made.bad.emplace_back(block->rows.keys()[static_cast<size_t>(bad.row)], bad.reason);
  }
  std::ranges::sort(made.bad);
  return made;
}

TEST(CutGraph, MakesInTwoPartsWhatRandomGraphsMakeAtOnceToTheLastBit) {
  int num_cuts = 0;
  int num_bad = 0;
  int num_filtered = 0;
  for (uint32_t seed = 0; seed < 120; ++seed) {
    const RandomCase given = RandomCases(seed).Make(150);
    SCOPED_TRACE(fmt::format("seed {}:\n{}", seed, config::Print(given.spec)));
    const auto graph = std::make_shared<const Graph>(MustBuild(given.spec, given.schema));
    Fitter fitter(*graph);
    const auto fitted = testing::Fit(fitter, given.samples, 40);
    if (!fitted.ok()) continue;
    Made at_once = AtOnce(*graph, given.samples, *fitted);
    std::ranges::sort(at_once.bad);
    num_bad += at_once.bad.empty() ? 0 : 1;
    num_filtered += at_once.num_filtered > 0 ? 1 : 0;
    std::set<std::string> digests;
    for (const CutPoint& point : CutPointsOf(*graph)) {
      SCOPED_TRACE(fmt::format("cut after {} ops", point.num_ops));
      const CutGraph cut(graph, point);
      const Made in_two = InTwo(cut, given.samples, *fitted);
      EXPECT_EQ(in_two.bad, at_once.bad);
      EXPECT_EQ(in_two.num_filtered, at_once.num_filtered);
      EXPECT_TRUE(in_two.rows == at_once.rows);
      const auto digest = cut.Digest(&*fitted, false);
      ASSERT_THAT(digest, tidemill::testing::IsOk());
      EXPECT_TRUE(digests.insert(*digest).second);
      ++num_cuts;
    }
  }
  // The comparison is worth something only if it met all of this.
  EXPECT_GT(num_cuts, 150);
  EXPECT_GT(num_bad, 30);
  EXPECT_GT(num_filtered, 10);
}

}  // namespace
}  // namespace tidemill::transform

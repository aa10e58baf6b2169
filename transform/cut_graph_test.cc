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

Made AtOnce(const Graph& graph, const batch::Batch& samples, const FittedState& fitted,
            const RunContext& context = kTraining) {
  const auto result = graph.Run(samples, &fitted, context);
  EXPECT_THAT(result, tidemill::testing::IsOk());
  Made made{batch::Encode(result->batch), {}, result->num_filtered};
  for (const BadSample& bad : result->bad) {
    made.bad.emplace_back(samples.keys()[static_cast<size_t>(bad.row)], bad.reason);
  }
  return made;
}

Made InTwo(const CutGraph& cut, const batch::Batch& samples, const FittedState& fitted,
           const RunContext& first = kTraining, const RunContext& then = kTraining) {
  const auto block = cut.Prepare(samples, &fitted, first, nullptr);
  EXPECT_THAT(block, tidemill::testing::IsOk());
  const auto result = cut.Finish(block->rows, &fitted, then, nullptr);
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

TEST(CutGraph, WhatATrainingKeepsServesAnEvaluationWhereTheDigestsAreEqual) {
  RunContext training = kTraining;
  training.standardize_target = true;
  int num_equal = 0;
  for (uint32_t seed = 0; seed < 120; ++seed) {
    const RandomCase given = RandomCases(seed).Make(100);
    SCOPED_TRACE(fmt::format("seed {}:\n{}", seed, config::Print(given.spec)));
    const auto graph = std::make_shared<const Graph>(MustBuild(given.spec, given.schema));
    Fitter fitter(*graph);
    const auto fitted = testing::Fit(fitter, given.samples, 40);
    if (!fitted.ok()) continue;
    Made measured = AtOnce(*graph, given.samples, *fitted, {});
    std::ranges::sort(measured.bad);
    for (const CutPoint& point : CutPointsOf(*graph)) {
      const CutGraph cut(graph, point);
      if (*cut.Digest(&*fitted, true) != *cut.Digest(&*fitted, false)) continue;
      ++num_equal;
      EXPECT_TRUE(InTwo(cut, given.samples, *fitted, training, {}) == measured);
      EXPECT_TRUE(InTwo(cut, given.samples, *fitted, {}, training) ==
                  InTwo(cut, given.samples, *fitted, training, training));
    }
  }
  EXPECT_GT(num_equal, 150);
}

TEST(CutGraph, OnlyAScaledTargetTellsTrainingsFromEvaluations) {
  const auto spec = config::Read<GraphSpec>(R"(
- label: {into: target}
- parse_csv: {columns: [a]}
- standardize: {columns: [target]}
- stack: {columns: [a], into: input}
)",
                                            "graph");
  ASSERT_THAT(spec, tidemill::testing::IsOk());
  SampleSchema schema = testing::CsvSchema({"a"});
  schema.label = LabelKind::kReal;
  const auto graph = std::make_shared<const Graph>(MustBuild(*spec, schema));
  const batch::Batch samples = testing::MakeRealSamples({"1", "2", "3"}, {1.5, 2.5, 7});
  const FittedState fitted = testing::MustFit(*graph, samples);
  int num_equal = 0;
  int num_other = 0;
  for (const CutPoint& point : CutPointsOf(*graph)) {
    const CutGraph cut(graph, point);
    const bool are_equal = *cut.Digest(&fitted, true) == *cut.Digest(&fitted, false);
    EXPECT_EQ(are_equal, !point.learns) << point.num_ops;
    ++(are_equal ? num_equal : num_other);
  }
  EXPECT_GT(num_equal, 0);
  EXPECT_GT(num_other, 0);
}

}  // namespace
}  // namespace tidemill::transform

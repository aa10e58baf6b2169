#include "transform/fitter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using testing::Fit;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::MustBuild;
using testing::MustFit;
using testing::Numbers;
using testing::RunInBlocks;
using testing::Spec;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

struct RowsToFit {
  std::vector<double> values;
  std::vector<std::string> records;
};

// A large mean beside a small deviation, where naive sums of squares lose everything.
RowsToFit HardRows(int count) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(1e8, 0.5);
  RowsToFit rows;
  for (int i = 0; i < count; ++i) {
    rows.values.push_back(normal(random));
    rows.records.push_back(fmt::format("{},{},7", rows.values.back(), i % 5));
  }
  return rows;
}

GraphSpec StandardizeGraph() {
  return Spec(ParseCsvSpec{.columns = {"a", "b", "c"}, .dtype = CsvType::kFloat64},
              StandardizeSpec{}, StackSpec{});
}

TEST(Fitter, AgreesWithATwoPassComputation) {
  const RowsToFit rows = HardRows(5000);
  const Graph graph = MustBuild(StandardizeGraph(), CsvSchema({"a", "b", "c"}));
  const FittedState fitted = MustFit(graph, MakeSamples(rows.records));
  long double sum = 0;
  for (const double value : rows.values) sum += value;
  const long double mean = sum / rows.values.size();
  long double squares = 0;
  for (const double value : rows.values) squares += (value - mean) * (value - mean);
  const long double deviation = std::sqrt(squares / rows.values.size());
  const std::span<const Learned> learned = fitted.Of(1);
  ASSERT_EQ(learned.size(), 6);
  EXPECT_EQ(learned[0].column, "a");
  EXPECT_EQ(learned[0].statistic, "mean");
  EXPECT_NEAR(learned[0].numbers[0], static_cast<double>(mean), 1e-6);
  EXPECT_EQ(learned[1].statistic, "std");
  EXPECT_NEAR(learned[1].numbers[0], static_cast<double>(deviation), 1e-8);
  EXPECT_NEAR(learned[2].numbers[0], 2, 1e-12);
  EXPECT_NEAR(learned[3].numbers[0], std::sqrt(2.0), 1e-12);
}

TEST(Fitter, GivesTheSameBitsHoweverTheSamplesAreCut) {
  const batch::Batch samples = MakeSamples(HardRows(2500).records);
  const Graph graph = MustBuild(StandardizeGraph(), CsvSchema({"a", "b", "c"}));
  const FittedState whole = MustFit(graph, samples, 2500);
  const absl::StatusOr<Transformed> expected = RunInBlocks(graph, samples, &whole, 2500);
  ASSERT_THAT(expected, IsOk());
  for (const int64_t block : {1, 7, 1000}) {
    const FittedState cut = MustFit(graph, samples, block);
    EXPECT_EQ(cut.digest(), whole.digest());
    const absl::StatusOr<Transformed> result = RunInBlocks(graph, samples, &cut, block);
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(Numbers<float>(result->batch, "input"), Numbers<float>(expected->batch, "input"));
    EXPECT_EQ(Numbers<int64_t>(result->batch, "key"), Numbers<int64_t>(expected->batch, "key"));
  }
}

TEST(Fitter, TakesTheDeviationOfAConstantColumnAsOneAndWarns) {
  const Graph graph = MustBuild(StandardizeGraph(), CsvSchema({"a", "b", "c"}));
  Fitter fitter(graph);
  const batch::Batch samples = MakeSamples({"1,0,7", "2,4,7", "3,8,7"});
  const absl::StatusOr<FittedState> fitted = Fit(fitter, samples, 2);
  ASSERT_THAT(fitted, IsOk());
  EXPECT_THAT(fitter.warnings(), ElementsAre(HasSubstr("column c never vary")));
  const absl::StatusOr<Transformed> result = graph.Run(samples, &*fitted);
  ASSERT_THAT(result, IsOk());
  const auto far = static_cast<float>(std::sqrt(1.5));
  EXPECT_THAT(Numbers<float>(result->batch, "input"),
              ElementsAre(-far, -far, 0, 0, 0, 0, far, far, 0));
}

TEST(Fitter, PassesOverBadSamples) {
  const Graph graph = MustBuild(StandardizeGraph(), CsvSchema({"a", "b", "c"}));
  Fitter fitter(graph);
  const absl::StatusOr<FittedState> fitted =
      Fit(fitter, MakeSamples({"1,0,7", "oops,4,7", "3,8,7"}), 10);
  ASSERT_THAT(fitted, IsOk());
  EXPECT_EQ(fitter.num_bad(), 1);
  EXPECT_EQ(fitted->digest(), MustFit(graph, MakeSamples({"1,0,7", "3,8,7"})).digest());
}

TEST(Fitter, LearnsFromWhatEarlierFittedOpsMakeInAPassOfItsOwn) {
  const GraphSpec spec = Spec(ParseCsvSpec{.columns = {"a"}, .dtype = CsvType::kFloat64},
                              ParseCsvSpec{.columns = {"s"}, .dtype = CsvType::kString},
                              OneHotSpec{.column = "s", .learn = 2}, StandardizeSpec{},
                              NormalizeSpec{.column = "a", .scale = 10, .mean = {1}, .into = "b"},
                              StandardizeSpec{.columns = {"b"}}, StackSpec{});
  const Graph graph = MustBuild(spec, CsvSchema({"a", "s"}));
  Fitter fitter(graph);
  EXPECT_EQ(fitter.num_passes(), 3) << "`all` of the first standardize takes the one-hot floats";
  const batch::Batch samples = MakeSamples({"1,x", "2,y", "3,y"});
  const absl::StatusOr<FittedState> fitted = Fit(fitter, samples, 1);
  ASSERT_THAT(fitted, IsOk());
  EXPECT_NEAR(fitted->Of(3)[0].numbers[0], 2, 1e-12);
  EXPECT_NEAR(fitted->Of(5)[0].numbers[0], -1, 1e-6) << "mean of 10 * 0 - 1";
  EXPECT_NEAR(fitted->Of(5)[1].numbers[0], 10, 1e-5);
  const absl::StatusOr<Transformed> result = graph.Run(samples, &*fitted);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->batch.Find("input")->shape, std::vector<int64_t>({4}));
}

TEST(Fitter, SharesOnePassAmongOpsThatDoNotBuildOnEachOther) {
  const GraphSpec spec = Spec(
      ParseCsvSpec{.columns = {"a"}}, ParseCsvSpec{.columns = {"s"}, .dtype = CsvType::kString},
      StandardizeSpec{}, OneHotSpec{.column = "s", .learn = 2}, StackSpec{});
  const Graph graph = MustBuild(spec, CsvSchema({"a", "s"}));
  EXPECT_EQ(Fitter(graph).num_passes(), 1);
}

TEST(Fitter, LearnsTheMostFrequentCategoriesAndPlacesThemInByteOrder) {
  const GraphSpec spec = Spec(ParseCsvSpec{.columns = {"s"}, .dtype = CsvType::kString},
                              OneHotSpec{.column = "s", .learn = 3, .into = "input"});
  const Graph graph = MustBuild(spec, CsvSchema({"s", "n"}));
  const batch::Batch samples = MakeSamples({"z,1", "b,1", "z,1", "d,1", "c,1", ",1", ",1", "z,1"});
  Fitter fitter(graph);
  const absl::StatusOr<FittedState> fitted = Fit(fitter, samples, 3);
  ASSERT_THAT(fitted, IsOk());
  EXPECT_THAT(fitted->Of(1)[0].words, ElementsAre("b", "c", "z")) << "'' is not a category";
  EXPECT_THAT(fitter.warnings(), ElementsAre(HasSubstr("has 4 categories; the 3 most frequent")));
  const absl::StatusOr<Transformed> result =
      graph.Run(MakeSamples({"b,1", "new,1", "z,1", ",1"}), &*fitted);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(Numbers<float>(result->batch, "input"),
              ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0));
}

TEST(Fitter, TakesAMissingFieldForNeitherACategoryNorAnUnknownOne) {
  const GraphSpec spec =
      Spec(ParseCsvSpec{.columns = {"s"}, .dtype = CsvType::kString},
           OneHotSpec{
               .column = "s", .learn = 2, .unknown = UnknownCategory::kBadSample, .into = "input"});
  const Graph graph = MustBuild(spec, CsvSchema({"s", "n"}));
  const FittedState fitted = MustFit(graph, MakeSamples({",1", ",1", "b,1", ",1", "a,1"}));
  EXPECT_THAT(fitted.Of(1)[0].words, ElementsAre("a", "b"));
  const absl::StatusOr<Transformed> result =
      graph.Run(MakeSamples({"a,1", ",1", "new,1"}), &fitted);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(Numbers<float>(result->batch, "input"), ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(result->bad.size(), 1U);
}

TEST(Fitter, RefusesToLearnFromNothing) {
  const Graph graph = MustBuild(StandardizeGraph(), CsvSchema({"a", "b", "c"}));
  Fitter fitter(graph);
  EXPECT_THAT(fitter.Add(MakeSamples({"x,y,z"})), IsOk());
  EXPECT_THAT(fitter.Finish(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        HasSubstr("op 2 (standardize): there is no good sample")));
}

TEST(Fitter, OfAGraphWithoutFitGivesAnEmptyState) {
  const Graph graph =
      MustBuild(Spec(ParseCsvSpec{.columns = {"a"}}, StackSpec{}), CsvSchema({"a"}));
  EXPECT_FALSE(graph.needs_fit());
  const absl::StatusOr<FittedState> fitted = Fitter(graph).Finish();
  ASSERT_THAT(fitted, IsOk());
  EXPECT_THAT(graph.Run(MakeSamples({"1"}), &*fitted), IsOk());
}

TEST(FittedState, SurvivesEncodingAndKeepsItsDigest) {
  const Graph graph = MustBuild(StandardizeGraph(), CsvSchema({"a", "b", "c"}));
  const FittedState fitted = MustFit(graph, MakeSamples(HardRows(50).records));
  const absl::StatusOr<FittedState> again = FittedState::Decode(fitted.Encode());
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->digest(), fitted.digest());
  EXPECT_EQ(again->graph(), graph.spec_digest());
  EXPECT_THAT(again->Of(0), IsEmpty());
  ASSERT_EQ(again->Of(1).size(), fitted.Of(1).size());
  for (size_t i = 0; i < fitted.Of(1).size(); ++i) EXPECT_EQ(again->Of(1)[i], fitted.Of(1)[i]);
}

TEST(FittedState, NoDamageIsTakenForAnotherState) {
  const Graph graph = MustBuild(StandardizeGraph(), CsvSchema({"a", "b", "c"}));
  const FittedState fitted = MustFit(graph, MakeSamples({"1,0,7", "2,4,7"}));
  std::mt19937 random(4);
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = fitted.Encode();
    if (round % 5 == 0) bytes.resize(random() % bytes.size());
    if (!bytes.empty()) bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    const absl::StatusOr<FittedState> decoded = FittedState::Decode(bytes);
    if (decoded.ok()) {
      EXPECT_NE(decoded->digest(), fitted.digest());
    } else {
      EXPECT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss);
    }
  }
}

TEST(FittedState, OfOtherOpsIsRefused) {
  const Graph graph = MustBuild(StandardizeGraph(), CsvSchema({"a", "b", "c"}));
  const Graph other =
      MustBuild(Spec(ParseCsvSpec{.columns = {"c", "b", "a"}}, StandardizeSpec{}, StackSpec{}),
                CsvSchema({"a", "b", "c"}));
  const batch::Batch samples = MakeSamples({"1,0,7", "2,4,7"});
  const FittedState fitted = MustFit(graph, samples);
  EXPECT_THAT(other.Run(samples, &fitted),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("belongs to another graph")));
  EXPECT_THAT(graph.Run(samples, nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not fitted")));
}

TEST(FittedState, ServesAnotherDatasetWithTheSameColumns) {
  const Graph graph = MustBuild(StandardizeGraph(), CsvSchema({"a", "b", "c"}));
  const Graph other = MustBuild(StandardizeGraph(), CsvSchema({"c", "x", "a", "b"}));
  const FittedState fitted = MustFit(graph, MakeSamples({"1,0,7", "3,4,9"}));
  const absl::StatusOr<Transformed> result = other.Run(MakeSamples({"9,?,1,4"}), &fitted);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(Numbers<float>(result->batch, "input"), ElementsAre(-1, 1, 1));
}

}  // namespace
}  // namespace tidemill::transform

#include "evaluator/client/evaluation_spec.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/classes/f1.h"
#include "evaluator/measures/classes/top_k.h"

namespace tidemill::evaluator {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

TEST(EvaluationSpec, IsReadAsPipelinesWriteIt) {
  const auto spec = config::Read<EvaluationSpec>(R"(
dataset: elec2
windows: {type: between_triggers}
models: all
measures: [accuracy, {type: f1, average: weighted}]
)",
                                                 "pipeline.yaml");
  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->dataset, "elec2");
  EXPECT_EQ(spec->windows, WindowsSpec(BetweenTriggers{}));
  EXPECT_EQ(spec->models, EvaluatedModels::kAll);
  EXPECT_EQ(spec->measures,
            (std::vector<MeasureSpec>{Accuracy{}, F1{{.average = ClassAverage::kWeighted}}}));
  const auto again = config::Read<EvaluationSpec>(config::Print(*spec), "printed");
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(config::Print(*again), config::Print(*spec));
}

TEST(EvaluationSpec, ReadsSlicesAndActiveModels) {
  const auto spec = config::Read<EvaluationSpec>(
      "{dataset: d, windows: {type: slices, every: 7d}, models: active, measures: [mae, rmse]}",
      "x");
  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->windows, WindowsSpec(Slices{.every = Duration{7 * 86'400'000'000}}));
  EXPECT_EQ(spec->models, EvaluatedModels::kActive);
}

TEST(EvaluationSpec, RefusesWhatCannotBeMeasured) {
  const auto problem = [](const std::string& rest) {
    return config::Read<EvaluationSpec>("{dataset: d, " + rest + "}", "x").status();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(problem("measures: []"), StatusIs(kInvalid, HasSubstr("measures")));
  EXPECT_THAT(problem("measures: [f1, {type: f1}]"), StatusIs(kInvalid, HasSubstr("twice")));
  EXPECT_THAT(problem("measures: [accuracy, mae]"), StatusIs(kInvalid, HasSubstr("mixes")));
  EXPECT_THAT(problem("measures: [acuracy]"), StatusIs(kInvalid, HasSubstr("accuracy")));
  EXPECT_THAT(problem("measures: [accuracy], windows: {type: slices, every: 0s}"),
              StatusIs(kInvalid, HasSubstr("positive")));
}

TEST(EvaluationSpec, ReadsSlicesOfWindowsAndTheBootstrap) {
  const auto spec = config::Read<EvaluationSpec>(R"(
dataset: d
measures: [roc_auc, {type: top_k, k: 3}, {type: calibration_error, bins: 10}]
slices: [class, {type: column, name: hour, bins: [6, 12]}]
bootstrap: {replicates: 50, seed: 4}
)",
                                                 "x");
  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->slices,
            (std::vector<SliceSpec>{ClassSlices{}, ColumnSlices{.name = "hour", .bins = {6, 12}}}));
  EXPECT_EQ(spec->bootstrap, (BootstrapSpec{.replicates = 50, .seed = 4}));
  EXPECT_EQ(spec->measures[1], MeasureSpec(TopK{.k = 3}));
}

TEST(EvaluationSpec, ReadsEveryKindOfWindows) {
  const auto windows = [](const std::string& text) { return config::Read<WindowsSpec>(text, "x"); };
  constexpr int64_t kDay = 86'400'000'000;
  EXPECT_EQ(
      *windows("{type: periodic, calendar: month, offset: 1d, length: 90d}"),
      WindowsSpec(Periodic{
          .calendar = CalendarUnit::kMonth, .offset = {kDay}, .length = Duration{90 * kDay}}));
  EXPECT_EQ(*windows("{type: intervals, intervals: [{from: 1970-01-02, to: 1970-01-04}]}"),
            WindowsSpec(Intervals{.intervals = {{.from = {{kDay}}, .to = {{3 * kDay}}}}}));
  EXPECT_EQ(*windows("{type: around_triggers, from: -7d, to: 14d}"),
            WindowsSpec(AroundTriggers{.from = {-7 * kDay}, .to = {14 * kDay}}));
}

TEST(EvaluationSpec, RefusesWindowsThatCannotBe) {
  const auto problem = [](const std::string& text) {
    return config::Read<WindowsSpec>(text, "x").status();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(problem("{type: periodic}"), StatusIs(kInvalid, HasSubstr("either")));
  EXPECT_THAT(problem("{type: periodic, every: 1d, calendar: year}"),
              StatusIs(kInvalid, HasSubstr("either")));
  EXPECT_THAT(problem("{type: periodic, every: 0d}"), StatusIs(kInvalid, HasSubstr("positive")));
  EXPECT_THAT(problem("{type: periodic, every: 1d, length: -1d}"),
              StatusIs(kInvalid, HasSubstr("positive")));
  EXPECT_THAT(problem("{type: intervals, intervals: []}"),
              StatusIs(kInvalid, HasSubstr("intervals")));
  EXPECT_THAT(problem("{type: intervals, intervals: [{from: 2018-01-02, to: 2018-01-02}]}"),
              StatusIs(kInvalid, HasSubstr("later")));
  EXPECT_THAT(problem("{type: intervals, intervals: [{from: 2018-01-02, to: 2018-01-03}, "
                      "{from: 2018-01-02, to: 2018-01-03}]}"),
              StatusIs(kInvalid, HasSubstr("twice")));
  EXPECT_THAT(problem("{type: around_triggers, to: -1d}"), StatusIs(kInvalid, HasSubstr("later")));
}

TEST(EvaluationSpec, RefusesSlicesThatCannotBe) {
  const auto problem = [](const std::string& slices) {
    return config::Read<EvaluationSpec>(
               "{dataset: d, measures: [accuracy], slices: " + slices + "}", "x")
        .status();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(problem("[class, class]"), StatusIs(kInvalid, HasSubstr("class twice")));
  EXPECT_THAT(problem("[{type: column, name: h, bins: [2, 2]}]"),
              StatusIs(kInvalid, HasSubstr("ascend")));
  EXPECT_THAT(problem("[column]"), StatusIs(kInvalid, HasSubstr("name")));
}

}  // namespace
}  // namespace tidemill::evaluator

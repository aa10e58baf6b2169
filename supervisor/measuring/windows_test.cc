#include "supervisor/measuring/windows.h"

#include <limits>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "config/values/clock.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr int64_t kDay = 86'400'000'000;

v1::DatasetSynced Dataset(int64_t from, int64_t to) {
  v1::DatasetSynced dataset;
  dataset.mutable_from()->set_event_time(from);
  dataset.mutable_to()->set_event_time(to);
  return dataset;
}

// Triggers at the given times; the n-th made model 70 + n.
std::vector<TriggerState> Triggers(const std::vector<int64_t>& times) {
  std::vector<TriggerState> triggers;
  for (const int64_t time : times) {
    TriggerState& trigger = triggers.emplace_back();
    trigger.trigger.set_number(static_cast<int64_t>(triggers.size()));
    trigger.trigger.mutable_at()->set_event_time(time);
    trigger.trigger.set_model_id(70 + trigger.trigger.number());
  }
  return triggers;
}

// "from-to active/trained", with - for none.
std::vector<std::string> Show(const absl::StatusOr<std::vector<Window>>& windows) {
  EXPECT_THAT(windows, IsOk());
  std::vector<std::string> shown;
  const auto number = [](const std::optional<int64_t>& trigger) {
    return trigger ? std::to_string(*trigger) : "-";
  };
  for (const Window& window : *windows) {
    shown.push_back(std::to_string(window.from.event_time()) + "-" +
                    std::to_string(window.to.event_time()) + " " + number(window.active_trigger) +
                    "/" + number(window.trained_trigger));
  }
  return shown;
}

TEST(Windows, AreBetweenTheTriggersAndCoverTheDataset) {
  EXPECT_THAT(Show(MakeWindows(evaluator::BetweenTriggers{}, Dataset(0, 100), Triggers({40, 70}))),
              ElementsAre("0-40 -/1", "40-70 1/2", "70-100 2/-"));
  EXPECT_THAT(Show(MakeWindows(evaluator::BetweenTriggers{}, Dataset(0, 100), Triggers({}))),
              ElementsAre("0-100 -/-"));
}

TEST(Windows, LeaveOutWhatIsOutsideTheDataset) {
  EXPECT_THAT(Show(MakeWindows(evaluator::BetweenTriggers{}, Dataset(50, 60), Triggers({40, 70}))),
              ElementsAre("50-60 1/2"));
  EXPECT_THAT(Show(MakeWindows(evaluator::BetweenTriggers{}, Dataset(0, 0), Triggers({40}))),
              IsEmpty());
}

TEST(Windows, AreSlicesOfEqualLength) {
  EXPECT_THAT(
      Show(MakeWindows(evaluator::Slices{.every = {30}}, Dataset(10, 100), Triggers({40, 60}))),
      ElementsAre("10-40 -/1", "40-70 1/-", "70-100 2/-"));
}

TEST(Windows, ArePeriodicFromRoundTimesOn) {
  EXPECT_THAT(Show(MakeWindows(evaluator::Periodic{.every = Duration{30}}, Dataset(40, 100),
                               Triggers({60}))),
              ElementsAre("40-60 -/1", "60-90 1/-", "90-100 1/-"));
  EXPECT_THAT(Show(MakeWindows(evaluator::Periodic{.every = Duration{30}, .offset = {10}},
                               Dataset(-25, 40), Triggers({}))),
              ElementsAre("-25--20 -/-", "-20-10 -/-", "10-40 -/-"));
}

TEST(Windows, OverlapWhenTheyAreLongerThanTheirDistance) {
  EXPECT_THAT(Show(MakeWindows(evaluator::Periodic{.every = Duration{30}, .length = Duration{50}},
                               Dataset(0, 100), Triggers({40, 60}))),
              ElementsAre("0-50 -/2", "30-80 -/-", "60-100 2/-", "90-100 2/-"));
}

TEST(Windows, BeginWithMonthsAndYears) {
  const auto day = [](const char* date) { return ParseTimestamp(date)->micros; };
  const auto dates = [&](const evaluator::Periodic& spec, const char* from, const char* to) {
    std::vector<std::string> shown;
    const auto windows = MakeWindows(spec, Dataset(day(from), day(to)), {});
    EXPECT_THAT(windows, IsOk());
    for (const Window& window : *windows) {
      shown.push_back(FormatTimestampShort({window.from.event_time()}) + " " +
                      FormatTimestampShort({window.to.event_time()}));
    }
    return shown;
  };
  const evaluator::Periodic months{.calendar = evaluator::CalendarUnit::kMonth};
  EXPECT_THAT(
      dates(months, "2016-01-15", "2016-03-02"),
      ElementsAre("2016-01-15 2016-02-01", "2016-02-01 2016-03-01", "2016-03-01 2016-03-02"));
  const evaluator::Periodic second_of_month{.calendar = evaluator::CalendarUnit::kMonth,
                                            .offset = {kDay}};
  EXPECT_THAT(dates(second_of_month, "2016-01-01", "2016-01-05"),
              ElementsAre("2016-01-01 2016-01-02", "2016-01-02 2016-01-05"));
  const evaluator::Periodic years{.calendar = evaluator::CalendarUnit::kYear};
  EXPECT_THAT(
      dates(years, "1968-06-01", "1970-02-01"),
      ElementsAre("1968-06-01 1969-01-01", "1969-01-01 1970-01-01", "1970-01-01 1970-02-01"));
}

TEST(Windows, BeginOnTheClockOfTheirZone) {
  const auto time = [](const char* date) { return ParseTimestamp(date)->micros; };
  const auto begins = [&](evaluator::Periodic spec, const char* from, const char* to) {
    config::Problems problems;
    config::PutOnClock(spec, "America/New_York", problems);
    std::vector<std::string> shown;
    const auto windows = MakeWindows(spec, Dataset(time(from), time(to)), {});
    EXPECT_THAT(windows, IsOk());
    for (const Window& window : *windows) {
      shown.push_back(FormatTimestamp({window.from.event_time()}));
    }
    return shown;
  };
  // Clocks are set forward on 8 March 2026.
  EXPECT_THAT(begins({.every = Duration{kDay}}, "2026-03-07T05:00:00Z", "2026-03-09T12:00:00Z"),
              ElementsAre("2026-03-07T05:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"));
  EXPECT_THAT(begins({.calendar = evaluator::CalendarUnit::kMonth}, "2026-03-01T05:00:00Z",
                     "2026-04-01T05:00:00Z"),
              ElementsAre("2026-03-01T05:00:00Z", "2026-04-01T04:00:00Z"));
  // A sixth of a day is not stretched.
  EXPECT_THAT(begins({.every = Duration{kDay / 6}}, "2026-03-08T05:00:00Z", "2026-03-08T17:00:00Z"),
              ElementsAre("2026-03-08T05:00:00Z", "2026-03-08T09:00:00Z", "2026-03-08T13:00:00Z"));
  EXPECT_THAT(begins({.every = Duration{kDay}, .time_zone = "UTC"}, "2026-03-07T00:00:00Z",
                     "2026-03-08T12:00:00Z"),
              ElementsAre("2026-03-07T00:00:00Z", "2026-03-08T00:00:00Z"));
}

TEST(Windows, AreTheIntervalsThatAreNamed) {
  const evaluator::Intervals spec{.intervals = {{.from = {{50}}, .to = {{200}}},
                                                {.from = {{-5}}, .to = {{60}}},
                                                {.from = {{300}}, .to = {{400}}}}};
  EXPECT_THAT(Show(MakeWindows(spec, Dataset(0, 100), Triggers({40, 70}))),
              ElementsAre("0-60 -/2", "50-100 1/-"));
}

TEST(Windows, AreAroundTriggers) {
  const evaluator::AroundTriggers spec{.from = {-20}, .to = {30}};
  EXPECT_THAT(Show(MakeWindows(spec, Dataset(0, 100), Triggers({30, 50, 90}))),
              ElementsAre("10-60 -/3", "30-80 1/3", "70-100 2/-"));
  // Two triggers at one time are one window.
  EXPECT_THAT(Show(MakeWindows(spec, Dataset(0, 100), Triggers({50, 50}))),
              ElementsAre("30-80 -/-"));
}

// One sample dated 1970 among those of 2026 makes 57 years of slices.
TEST(Windows, AreRefusedWhenThereAreTooMany) {
  v1::DatasetSynced dataset = Dataset(0, 20'000 * kDay);
  dataset.set_name("clicks");
  constexpr auto kCode = absl::StatusCode::kFailedPrecondition;
  for (const evaluator::WindowsSpec& spec :
       {evaluator::WindowsSpec(evaluator::Slices{.every = {3'600'000'000}}),
        evaluator::WindowsSpec(evaluator::Periodic{.every = Duration{3'600'000'000}})}) {
    EXPECT_THAT(CheckNumWindows(spec, dataset),
                StatusIs(kCode, HasSubstr("'clicks' would have 480000 windows over its samples "
                                          "from 1970-01-01T00:00:00Z")));
    EXPECT_THAT(MakeWindows(spec, dataset, {}).status(), StatusIs(kCode, HasSubstr("10000")));
  }
  EXPECT_THAT(CheckNumWindows(evaluator::Slices{.every = {2 * kDay}}, dataset), IsOk());
  EXPECT_EQ(MakeWindows(evaluator::Slices{.every = {2 * kDay}}, dataset, {})->size(), 10'000U);
}

TEST(Windows, OfAllTimeAreCountedWithoutOverflow) {
  const auto dataset =
      Dataset(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  EXPECT_FALSE(CheckNumWindows(evaluator::Slices{.every = {1}}, dataset).ok());
  EXPECT_FALSE(CheckNumWindows(evaluator::Periodic{.every = Duration{1}}, dataset).ok());
  EXPECT_EQ(MakeWindows(evaluator::Whole{}, dataset, {})->size(), 1U);
}

TEST(Windows, OfTooManyTriggersAreRefused) {
  std::vector<int64_t> times(10'000);
  std::iota(times.begin(), times.end(), 1);
  EXPECT_THAT(
      MakeWindows(evaluator::BetweenTriggers{}, Dataset(0, 20'000), Triggers(times)).status(),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("fire less often")));
}

TEST(Windows, NameTheModelInUseWhenOnlyThatIsMeasured) {
  evaluator::EvaluationSpec spec;
  spec.models = evaluator::EvaluatedModels::kActive;
  const auto windows = *WindowsToMeasure(spec, Dataset(0, 100), Triggers({40, 70}));
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_THAT(windows[0].model_ids(), ElementsAre(71));
  EXPECT_EQ(windows[0].model_in_use(), 71);
  EXPECT_EQ(windows[1].trigger_in_use(), 2);
  EXPECT_EQ(windows[1].known_to().event_time(), 70);
  EXPECT_THAT(windows[1].model_ids(), ElementsAre(72));
  spec.windows = evaluator::Whole{};
  const auto whole = *WindowsToMeasure(spec, Dataset(0, 100), Triggers({40, 70}));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_THAT(whole[0].model_ids(), ElementsAre(72));
  EXPECT_EQ(whole[0].model_in_use(), 72);
}

TEST(WindowsToMeasure, NameNoModelInUseBeforeTheFirstTrigger) {
  const auto windows =
      *WindowsToMeasure(evaluator::EvaluationSpec{}, Dataset(0, 100), Triggers({40, 70}));
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_FALSE(windows[0].has_known_to());
  EXPECT_EQ(windows[0].model_in_use(), 0);
  EXPECT_EQ(windows[1].known_to().event_time(), 40);
  EXPECT_EQ(windows[2].model_in_use(), 72);
}

// One that was skipped has no model, so the list goes from the first to the third.
TEST(Windows, NameTheModelsOfTriggersByTheirNumbers) {
  evaluator::EvaluationSpec spec;
  spec.models = evaluator::EvaluatedModels::kActive;
  std::vector<TriggerState> triggers = Triggers({40, 55, 70});
  triggers.erase(triggers.begin() + 1);
  const auto windows = *WindowsToMeasure(spec, Dataset(0, 100), triggers);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_THAT(windows[0].model_ids(), ElementsAre(71));
  EXPECT_THAT(windows[1].model_ids(), ElementsAre(73));
}

TEST(MarkSeries, FollowsTheActiveAndTheTrainedModel) {
  const evaluator::EvaluationSpec spec;
  const auto dataset = Dataset(0, 100);
  const auto triggers = Triggers({40, 70});
  std::vector<evaluator::v1::Evaluation> values;
  const auto windows = MakeWindows(spec.windows, dataset, triggers);
  ASSERT_THAT(windows, IsOk());
  for (const Window& window : *windows) {
    for (const TriggerState& trigger : triggers) {
      evaluator::v1::Evaluation& value = values.emplace_back();
      value.set_trigger(trigger.trigger.number());
      *value.mutable_from() = window.from;
      *value.mutable_to() = window.to;
      value.set_measure("accuracy");
      value.set_value(static_cast<double>(1000 * trigger.trigger.number()) +
                      static_cast<double>(window.from.event_time()));
      value.set_num_samples(window.to.event_time() - window.from.event_time());
    }
  }
  evaluator::v1::Evaluation slice = values.front();
  slice.set_slice("class=UP");
  values.push_back(slice);
  evaluator::v1::Evaluation baseline = values.front();
  baseline.set_baseline("last");
  values.push_back(baseline);
  std::vector<evaluator::v1::Evaluation*> marked;
  for (auto& value : values) marked.push_back(&value);
  MarkSeries(spec, dataset, triggers, marked);
  std::vector<double> active, trained;
  for (const auto& value : values) {
    if (value.active()) active.push_back(value.value());
    if (value.trained()) trained.push_back(value.value());
  }
  EXPECT_THAT(active, ElementsAre(1040, 2070));
  EXPECT_THAT(trained, ElementsAre(1000, 2040, 1000)) << "a slice belongs to the series, too";
}

}  // namespace
}  // namespace tidemill::supervisor

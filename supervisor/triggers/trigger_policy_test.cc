#include <algorithm>
#include <iterator>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/detectors/ddm.h"
#include "supervisor/triggers/drift/drift_trigger.h"
#include "supervisor/triggers/errors/detector_trigger.h"
#include "supervisor/triggers/errors/performance_trigger.h"
#include "supervisor/triggers/plain/amount_trigger.h"
#include "supervisor/triggers/plain/cost_trigger.h"
#include "supervisor/triggers/plain/ensemble_trigger.h"
#include "supervisor/triggers/plain/time_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {
namespace {

using testing::Decide;
using testing::Drive;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ManySamples;
using testing::Places;
using testing::Stream;

const TriggerSpec kSpecs[] = {AmountTrigger{.samples = 3}, AmountTrigger{.samples = 700},
                              TimeTrigger{.every = "100us"}, TimeTrigger{.every = "7000us"}};

// Runs from before states were sealed have their decisions only.
TEST(Decider, ContinuesAfterADecisionWhoseStateWasNotSealed) {
  const Stream samples = ManySamples();
  for (const TriggerSpec& spec : kSpecs) {
    const std::vector<Decision> whole = Decide(spec, samples, 1000);
    const std::vector<int64_t> places = Places(whole, samples);
    for (size_t i = 0; i < whole.size(); i += 5) {
      EXPECT_EQ(
          Drive(Decider::After(spec, whole[i].at), samples, static_cast<size_t>(places[i]), 13),
          std::vector<Decision>(whole.begin() + static_cast<ptrdiff_t>(i) + 1, whole.end()));
    }
  }
}

TEST(AmountTrigger, FiresAfterEveryNthSample) {
  const Stream samples{.times = {0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 9},
                       .keys = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}};
  EXPECT_THAT(Places(Decide(AmountTrigger{.samples = 3}, samples, 8), samples),
              ElementsAre(3, 6, 9, 12));
  EXPECT_THAT(Decide(AmountTrigger{.samples = 14}, samples, 8), IsEmpty());
}

std::vector<int64_t> Fired(const std::vector<Decision>& decisions, const Stream& samples) {
  std::vector<Decision> fired;
  std::ranges::copy_if(decisions, std::back_inserter(fired), &Decision::fired);
  return Places(fired, samples);
}

TEST(AmountTrigger, TrainsFirstAfterAsManySamplesAsFirstAsksFor) {
  const Stream samples{.times = {0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 9},
                       .keys = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}};
  const AmountTrigger later = {.samples = 2, .first = 7}, sooner = {.samples = 7, .first = 2};
  const auto decisions = Decide(later, samples, 3);
  EXPECT_THAT(Places(decisions, samples), ElementsAre(7, 9, 11, 13));
  EXPECT_EQ(Explain(later, decisions[0].verdict),
            "7 new samples had come, as many as `first` asks for");
  EXPECT_EQ(decisions[0].verdict.nearest().key(), "first");
  EXPECT_EQ(Explain(later, decisions[1].verdict),
            "2 new samples had come, as many as `samples` asks for");
  EXPECT_THAT(Places(Decide(sooner, samples, 3), samples), ElementsAre(2, 9));
}

TEST(TimeTrigger, TrainsFirstAtTheEndOfThePeriodByWhichFirstHasCome) {
  const Stream samples{.times = {0, 5, 12, 13, 31, 32, 45, 51}, .keys = {1, 2, 3, 4, 5, 6, 7, 8}};
  const TimeTrigger spec = {.every = "10us", .first = 4};
  const auto decisions = Decide(spec, samples, 1);
  EXPECT_THAT(Places(decisions, samples), ElementsAre(2, 4, 6, 7));
  EXPECT_THAT(Fired(decisions, samples), ElementsAre(4, 6, 7));
  EXPECT_EQ(decisions[1].num_new, 4) << "those of the period that did not fire are not lost";
  EXPECT_EQ(Explain(spec, decisions[0].verdict),
            "a period of 1e-05 s of event time had ended, with 2 samples in it; 2 of the 4 that "
            "the first training waits for had come");
}

// Without a model, it waits again.
TEST(FirstTraining, IsRepeatedWhereNoneHasSucceeded) {
  const Stream samples = ManySamples();
  for (const TriggerSpec& spec : {TriggerSpec(AmountTrigger{.samples = 10, .first = 50}),
                                  TriggerSpec(TimeTrigger{.every = "10us", .first = 50})}) {
    Decider decider = testing::Make(spec);
    Samples ahead = samples.View();
    const auto next_fired = [&] {
      while (auto decision = testing::NextOf(decider, ahead)) {
        if (decision->fired) return decision->num_new;
      }
      return int64_t{0};
    };
    EXPECT_GE(next_fired(), 50);
    decider.NoModel();
    EXPECT_GE(next_fired(), 50);
    EXPECT_LT(next_fired(), 50);
  }
}

TEST(TimeTrigger, FiresAtTheEndOfEachPeriodWithSamples) {
  const Stream samples{.times = {0, 5, 12, 13, 31}, .keys = {1, 2, 3, 4, 5}};
  const std::vector<Decision> decisions = Decide(TimeTrigger{.every = "10us"}, samples, 1);
  EXPECT_THAT(Places(decisions, samples), ElementsAre(2, 4));
  EXPECT_EQ(decisions[0].at, (Cut{{10}, {0}}));
  EXPECT_EQ(decisions[1].at, (Cut{{20}, {0}}));
  EXPECT_THAT(decisions[1].verdict.observed(),
              ::testing::Contains(::testing::Pair("samples", 2.0)));
}

// A sample every six hours for eight months, around a change of the clocks in Zurich.
Stream Months() {
  Stream samples;
  int64_t time = ParseTimestamp("2025-12-20")->micros;
  for (int64_t i = 0; i < 4 * 240; ++i, time += 6 * 3'600'000'000) {
    samples.times.push_back(time);
    samples.keys.push_back(i + 1);
  }
  return samples;
}

std::vector<std::string> Times(const std::vector<Decision>& decisions) {
  std::vector<std::string> times;
  for (const Decision& decision : decisions) {
    times.push_back(FormatTimestampShort(decision.at.event_time));
  }
  return times;
}

TEST(TimeTrigger, FiresWhereThePeriodsOfTheCalendarEnd) {
  const Stream samples = Months();
  const TriggerSpec months = TimeTrigger{.calendar = CalendarUnit::kMonth};
  EXPECT_THAT(Times(Decide(months, samples, 7)),
              ElementsAre("2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01",
                          "2026-06-01", "2026-07-01", "2026-08-01"));
  EXPECT_EQ(Decide(months, samples, 7)[1].num_samples, 4 * 31);
  const TriggerSpec quarters = TimeTrigger{.every = "3", .calendar = CalendarUnit::kMonth};
  EXPECT_THAT(Times(Decide(quarters, samples, 7)),
              ElementsAre("2026-01-01", "2026-04-01", "2026-07-01"));
  const TriggerSpec in_zurich =
      TimeTrigger{.calendar = CalendarUnit::kMonth, .time_zone = "Europe/Zurich"};
  EXPECT_THAT(Times(Decide(in_zurich, samples, 7)),
              ElementsAre("2025-12-31T23:00:00Z", "2026-01-31T23:00:00Z", "2026-02-28T23:00:00Z",
                          "2026-03-31T22:00:00Z", "2026-04-30T22:00:00Z", "2026-05-31T22:00:00Z",
                          "2026-06-30T22:00:00Z", "2026-07-31T22:00:00Z"));
}

TEST(TimeTrigger, DecidesTheSameOnTheCalendarHoweverTheStreamIsCut) {
  const Stream samples = Months();
  for (const CalendarUnit unit : {CalendarUnit::kDay, CalendarUnit::kWeek, CalendarUnit::kMonth}) {
    const TriggerSpec spec = TimeTrigger{.calendar = unit, .time_zone = "Europe/Zurich"};
    const std::vector<Decision> whole = Decide(spec, samples, 1'000'000);
    ASSERT_GT(whole.size(), 5);
    for (const size_t chunk : {1, 7}) EXPECT_EQ(Decide(spec, samples, chunk), whole);
    const std::vector<int64_t> places = Places(whole, samples);
    for (size_t i = 0; i < whole.size(); i += 5) {
      EXPECT_EQ(
          Drive(Decider::After(spec, whole[i].at), samples, static_cast<size_t>(places[i]), 13),
          std::vector<Decision>(whole.begin() + static_cast<ptrdiff_t>(i) + 1, whole.end()));
    }
  }
}

TEST(WhatAsksModels, NamesTheFirstPolicyThatLooksAtWhatModelsAnswer) {
  const auto drift_of = [](DriftOf of) {
    return DriftTrigger{.evaluate = {.samples = 1},
                        .of = of,
                        .statistic = statistics::KsStatistic{},
                        .criterion = ThresholdCriterion{}};
  };
  const TriggerSpec labels = drift_of(DriftOf::kLabels);
  const TriggerSpec detector =
      DetectorTrigger{.evaluate = {.samples = 1}, .detector = statistics::DdmConfig{}};
  for (const TriggerSpec& samples_only :
       {TriggerSpec(AmountTrigger{}), labels, TriggerSpec(drift_of(DriftOf::kColumns)),
        TriggerSpec(CostTrigger{.evaluate = {.samples = 1}}),
        TriggerSpec(EnsembleTrigger{.of = {labels, AmountTrigger{}}})}) {
    EXPECT_EQ(WhatAsksModels(samples_only, "trigger"), "");
  }
  for (const TriggerSpec& asking :
       {detector, TriggerSpec(drift_of(DriftOf::kEmbeddings)),
        TriggerSpec(drift_of(DriftOf::kPredictions)),
        TriggerSpec(
            PerformanceTrigger{.evaluate = {.samples = 1}, .criterion = ThresholdCriterion{}}),
        TriggerSpec(CostTrigger{.evaluate = {.samples = 1}, .of = CostOf::kMisclassifications})}) {
    EXPECT_EQ(WhatAsksModels(asking, "policy"), "policy");
    const TriggerSpec below = EnsembleTrigger{.of = {labels, asking}};
    EXPECT_EQ(WhatAsksModels(EnsembleTrigger{.of = {labels, below}}, "trigger"),
              "trigger.of[1].of[1]");
  }
}

}  // namespace
}  // namespace tidemill::supervisor

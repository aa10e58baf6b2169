#include "supervisor/triggers/trigger_policy.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Samples {
  std::vector<int64_t> times;
  std::vector<int64_t> keys;
};

// Uneven gaps, ties among the times, one long pause.
Samples ManySamples() {
  Samples samples;
  int64_t time = 1'000'003;
  for (int64_t i = 0; i < 3000; ++i) {
    time += (i * 37) % 11 == 0 ? 0 : (i * 53) % 29;
    if (i == 1700) time += 100'000;
    samples.times.push_back(time);
    samples.keys.push_back((int64_t{1} << 44) + i);
  }
  return samples;
}

// Informs a policy of samples [from, end) in batches of `chunk`.
std::vector<Decision> Inform(TriggerPolicy& policy, const Samples& samples, size_t from,
                             size_t chunk) {
  std::vector<Decision> all;
  for (size_t begin = from; begin < samples.times.size(); begin += chunk) {
    const size_t size = std::min(chunk, samples.times.size() - begin);
    for (Decision& decision : policy.Inform(std::span(samples.times).subspan(begin, size),
                                            std::span(samples.keys).subspan(begin, size))) {
      all.push_back(std::move(decision));
    }
  }
  return all;
}

std::vector<Decision> Decide(const TriggerSpec& spec, const Samples& samples, size_t chunk) {
  return Inform(*MakeTriggerPolicy(spec, std::nullopt), samples, 0, chunk);
}

// How many samples lie before each cut.
std::vector<int64_t> Places(const std::vector<Decision>& decisions, const Samples& samples) {
  std::vector<int64_t> places;
  for (const Decision& decision : decisions) {
    int64_t before = 0;
    for (size_t i = 0; i < samples.keys.size(); ++i) {
      before += Cut{{samples.times[i]}, {samples.keys[i]}} < decision.at ? 1 : 0;
    }
    places.push_back(before);
  }
  return places;
}

const TriggerSpec kSpecs[] = {AmountTrigger{.samples = 3}, AmountTrigger{.samples = 700},
                              TimeTrigger{.every = "100us"}, TimeTrigger{.every = "7000us"}};

TEST(TriggerPolicy, DecidesTheSameHoweverTheStreamIsCut) {
  const Samples samples = ManySamples();
  for (const TriggerSpec& spec : kSpecs) {
    const std::vector<Decision> whole = Decide(spec, samples, 1'000'000);
    ASSERT_FALSE(whole.empty());
    for (const size_t chunk : {1, 7, 1000}) EXPECT_EQ(Decide(spec, samples, chunk), whole);
  }
}

TEST(TriggerPolicy, GoesOnAfterAnyDecisionAsIfItHadNeverStopped) {
  const Samples samples = ManySamples();
  for (const TriggerSpec& spec : kSpecs) {
    const std::vector<Decision> whole = Decide(spec, samples, 1000);
    const std::vector<int64_t> places = Places(whole, samples);
    for (size_t i = 0; i < whole.size(); i += 5) {
      const auto policy = MakeTriggerPolicy(spec, whole[i]);
      EXPECT_EQ(Inform(*policy, samples, static_cast<size_t>(places[i]), 13),
                std::vector<Decision>(whole.begin() + static_cast<ptrdiff_t>(i) + 1, whole.end()));
    }
  }
}

TEST(TriggerPolicy, CountsTheSamplesBetweenItsCuts) {
  const Samples samples = ManySamples();
  for (const TriggerSpec& spec : kSpecs) {
    const std::vector<Decision> decisions = Decide(spec, samples, 1000);
    const std::vector<int64_t> places = Places(decisions, samples);
    int64_t last = 0;
    for (size_t i = 0; i < decisions.size(); ++i) {
      EXPECT_EQ(decisions[i].num_samples, places[i] - last);
      EXPECT_GT(decisions[i].num_samples, 0);
      last = places[i];
    }
  }
}

TEST(AmountTrigger, FiresAfterEveryNthSample) {
  const Samples samples{.times = {0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 9},
                        .keys = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}};
  EXPECT_THAT(Places(Decide(AmountTrigger{.samples = 3}, samples, 8), samples),
              ElementsAre(3, 6, 9, 12));
  EXPECT_THAT(Decide(AmountTrigger{.samples = 14}, samples, 8), IsEmpty());
}

TEST(TimeTrigger, FiresAtTheEndOfEachPeriodWithSamples) {
  const Samples samples{.times = {0, 5, 12, 13, 31}, .keys = {1, 2, 3, 4, 5}};
  const std::vector<Decision> decisions = Decide(TimeTrigger{.every = "10us"}, samples, 1);
  EXPECT_THAT(Places(decisions, samples), ElementsAre(2, 4));
  EXPECT_EQ(decisions[0].at, (Cut{{10}, {0}}));
  EXPECT_EQ(decisions[1].at, (Cut{{20}, {0}}));
  EXPECT_THAT(decisions[1].observed, ::testing::Contains(::testing::Pair("samples", 2.0)));
}

// A sample every six hours for eight months, around a change of the clocks in Zurich.
Samples Months() {
  Samples samples;
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
  const Samples samples = Months();
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
  const Samples samples = Months();
  for (const CalendarUnit unit : {CalendarUnit::kDay, CalendarUnit::kWeek, CalendarUnit::kMonth}) {
    const TriggerSpec spec = TimeTrigger{.calendar = unit, .time_zone = "Europe/Zurich"};
    const std::vector<Decision> whole = Decide(spec, samples, 1'000'000);
    ASSERT_GT(whole.size(), 5);
    for (const size_t chunk : {1, 7}) EXPECT_EQ(Decide(spec, samples, chunk), whole);
    const std::vector<int64_t> places = Places(whole, samples);
    for (size_t i = 0; i < whole.size(); i += 5) {
      const auto policy = MakeTriggerPolicy(spec, whole[i]);
      EXPECT_EQ(Inform(*policy, samples, static_cast<size_t>(places[i]), 13),
                std::vector<Decision>(whole.begin() + static_cast<ptrdiff_t>(i) + 1, whole.end()));
    }
  }
}

TEST(TriggerPolicy, DecidesWithTheClockWhatLaterSamplesWouldDecide) {
  const Samples samples = ManySamples();
  for (const TriggerSpec& spec : kSpecs) {
    const std::vector<Decision> whole = Decide(spec, samples, 1000);
    const auto policy = MakeTriggerPolicy(spec, std::nullopt);
    std::vector<Decision> decisions;
    for (size_t i = 0; i < samples.times.size(); ++i) {
      const int64_t before = samples.times[i] - 1;
      for (Decision& decision : policy->Advance({before})) decisions.push_back(decision);
      for (Decision& decision : policy->Inform(std::span(samples.times).subspan(i, 1),
                                               std::span(samples.keys).subspan(i, 1))) {
        decisions.push_back(decision);
      }
    }
    EXPECT_EQ(decisions, whole);
  }
}

}  // namespace
}  // namespace tidemill::supervisor

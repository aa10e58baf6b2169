#include "supervisor/triggers/plain/pause_trigger.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Samples at these microseconds, with keys from 0.
trials::Stream At(const std::vector<int64_t>& times) {
  trials::Stream stream;
  for (size_t i = 0; i < times.size(); ++i) {
    stream.times.push_back(times[i]);
    stream.keys.push_back(static_cast<int64_t>(i));
  }
  return stream;
}

std::vector<int64_t> TimesOf(const std::vector<Decision>& decisions, bool fired) {
  std::vector<int64_t> times;
  for (const Decision& decision : decisions) {
    if (decision.fired == fired) times.push_back(decision.at.event_time.micros);
  }
  return times;
}

TEST(PauseTrigger, FiresAtTheEndOfEachPause) {
  const PauseTrigger spec = {.length = {100}};
  const auto decisions = testing::Decide(spec, At({0, 50, 149, 249, 300, 1000, 1099}), 2);
  // A pause of exactly the length counts.
  EXPECT_THAT(TimesOf(decisions, true), ElementsAre(249, 400));
}

TEST(PauseTrigger, WaitsForAsManySamplesAsItAsksFor) {
  const PauseTrigger spec = {.length = {100}, .samples = 4};
  const auto decisions = testing::Decide(spec, At({0, 10, 500, 510, 1000, 2000}), 3);
  EXPECT_THAT(TimesOf(decisions, false), ElementsAre(110, 1100));
  EXPECT_THAT(TimesOf(decisions, true), ElementsAre(610));
}

TEST(PauseTrigger, SaysWhyItFiredAndWhatWouldHaveChangedThat) {
  const TriggerSpec spec = PauseTrigger{.length = {2'000'000}, .samples = 2};
  const auto decisions = testing::Decide(spec, At({0, 10'000'000}), 1);
  ASSERT_THAT(decisions, SizeIs(1));
  EXPECT_EQ(spec->Explain(decisions[0].verdict),
            "no sample had come for 2 s; 1 sample had come since the last training, and `samples` "
            "asks for 2");
  EXPECT_EQ(decisions[0].verdict.nearest().to(), 1);
}

TEST(PauseTrigger, WarnsOfAPauseThatEachSampleEnds) {
  const TriggerSpec spec = PauseTrigger{.length = {1000}};
  const auto remarks = spec->Advise({.step = Duration{1000}});
  ASSERT_THAT(remarks, SizeIs(1));
  EXPECT_THAT(remarks[0].message, HasSubstr("each sample ends one"));
  EXPECT_THAT(spec->Advise({.step = Duration{10}}), IsEmpty());
}

}  // namespace
}  // namespace tidemill::supervisor

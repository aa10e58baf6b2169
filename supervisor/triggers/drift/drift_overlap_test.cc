#include "supervisor/triggers/drift/drift_overlap.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/false_alarms.h"
#include "supervisor/trials/drifting_evidence.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using testing::EverySecond;
using testing::Stream;
using trials::DriftingEvidence;

bool NothingDrifts(int64_t) { return false; }

TEST(DriftOverlap, IsThatOfNumbersAndOfTimes) {
  const Duration hour{3'600'000'000}, day{24 * hour.micros};
  EXPECT_EQ(NewShare({.samples = 24}, {.samples = 200}, 0), 0.12);
  EXPECT_EQ(NewShare({.samples = 200}, {.samples = 100}, 0), 2);
  EXPECT_EQ(NewShare({.every = hour}, {.length = day}, 0), 1.0 / 24);
  EXPECT_DOUBLE_EQ(NewShare({.every = hour}, {.samples = 7200}, 0.5), 0.25);
  EXPECT_DOUBLE_EQ(NewShare({.samples = 3600}, {.length = day}, 0.5), 1.0 / 12);
  EXPECT_EQ(NewShare({.samples = 3600}, {.length = day}, 0), 1);
}

// 24 of 200 samples of the current window are new at each evaluation. Windows that share samples
// raise their alarms together, and none can be raised while the window fills.
TEST(DriftOverlap, LetsTrainingsBeAsRareAsIsAccepted) {
  constexpr double kApart = 30;
  const Stream stream = EverySecond(60'000);
  const DriftTrigger spec = {
      .evaluate = {.samples = 24},
      .of = DriftOf::kColumns,
      .columns = {"a"},
      .reference = {.samples = 500},
      .current = {.samples = 200},
      .rows = 100'000,
      .statistic = statistics::WassersteinStatistic{},
      .criterion = AutoCriterion{.alarms_per_month = statistics::kSecondsPerMonth / 24 / kApart,
                                 .history = 5000,
                                 .scores = 300}};
  double evaluations = 0, trainings = 0;
  for (int64_t seed = 1; seed <= 3; ++seed) {
    DriftingEvidence source(stream, &NothingDrifts, /*missing_of=*/0, seed);
    bool has_threshold = false;
    for (const Decision& decision : testing::Decide(spec, stream, 1000, &source)) {
      has_threshold |= decision.verdict.observed().contains("threshold");
      evaluations += has_threshold ? 1 : 0;
      trainings += has_threshold && decision.fired ? 1 : 0;
    }
  }
  ASSERT_GT(evaluations, 6000);
  EXPECT_GT(trainings, evaluations / kApart / 1.5) << evaluations;
  EXPECT_LT(trainings, evaluations / kApart * 1.5) << evaluations;
}

}  // namespace
}  // namespace tidemill::supervisor

#include "transform/ops/delay.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/testing/status_matchers.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using testing::MakeSamples;
using testing::MustBuild;
using testing::Numbers;
using testing::RowsFrom;
using testing::Spec;
using tidemill::testing::IsOk;

batch::Batch Samples(int64_t count) {
  batch::Batch samples = MakeSamples(std::vector<std::string>(count, "1"));
  testing::SetOrdinals(samples);
  return samples;
}

int64_t WaitOf(const DelaySpec& spec, const batch::Batch& samples, const RunContext& context = {}) {
  return MillisecondsOf(spec, 0, Frame(samples, 0, context));
}

TEST(Delay, WaitsOnceForABatchOrForEachSample) {
  EXPECT_EQ(WaitOf({.milliseconds = 20}, Samples(5)), 20);
  EXPECT_EQ(WaitOf({.milliseconds = 20, .per = DelayPer::kSample}, Samples(5)), 100);
  EXPECT_EQ(WaitOf({.milliseconds = 20}, Samples(0)), 0);
}

TEST(Delay, WaitsNoLongerThanAMinuteInAll) {
  EXPECT_EQ(WaitOf({.milliseconds = 60000, .per = DelayPer::kSample}, Samples(5)), 60000);
}

TEST(Delay, LetsTheShareOfTheSamplesWaitThatItWasGiven) {
  const batch::Batch samples = Samples(10000);
  const DelaySpec spec{.milliseconds = 1, .share = 0.01, .per = DelayPer::kSample};
  const int64_t waiting = WaitOf(spec, samples);
  EXPECT_GT(waiting, 60);
  EXPECT_LT(waiting, 150);
}

TEST(Delay, LetsTheSameSamplesWaitHoweverTheyAreCutAndInEveryEpoch) {
  const batch::Batch samples = Samples(500);
  const DelaySpec spec{.milliseconds = 1, .share = 0.1, .per = DelayPer::kSample};
  const RunContext first{.training = true, .seed = 5, .epoch = 0};
  const RunContext second{.training = true, .seed = 5, .epoch = 1};
  const RunContext other{.training = true, .seed = 6, .epoch = 0};
  std::vector<int64_t> waits[3];
  for (int64_t row = 0; row < 500; ++row) {
    const batch::Batch one = RowsFrom(samples, row, 1);
    waits[0].push_back(WaitOf(spec, one, first));
    waits[1].push_back(WaitOf(spec, one, second));
    waits[2].push_back(WaitOf(spec, one, other));
  }
  EXPECT_EQ(waits[0], waits[1]);
  EXPECT_NE(waits[0], waits[2]);
  EXPECT_EQ(std::accumulate(waits[0].begin(), waits[0].end(), int64_t{0}),
            WaitOf(spec, samples, first));
}

TEST(Delay, OfSamplesWithoutOrdinalsIsForAllOrForNone) {
  const batch::Batch samples = MakeSamples({"1", "1"});
  EXPECT_EQ(WaitOf({.milliseconds = 3, .share = 1, .per = DelayPer::kSample}, samples), 6);
  EXPECT_EQ(WaitOf({.milliseconds = 3, .share = 0.9, .per = DelayPer::kSample}, samples), 0);
}

TEST(Delay, MayBeAnywhereInAGraphAndChangesNothing) {
  const DelaySpec delay{.milliseconds = 1};
  const Graph graph =
      MustBuild(Spec(delay, ParseCsvSpec{.columns = {"a"}, .dtype = CsvType::kFloat32}, delay,
                     StackSpec{}, delay),
                CsvSchema({"a"}));
  const absl::StatusOr<Transformed> made = graph.Run(MakeSamples({"1", "x", "3"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(Numbers<float>(made->batch, "input"), ElementsAre(1, 3));
  EXPECT_THAT(made->bad, ElementsAre(BadSample{1, "column a: 'x' is not a number"}));
}

}  // namespace
}  // namespace tidemill::transform

#include "loader/path/predicted_gains.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "loader/path/path_clock.h"

namespace tidemill::loader {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;

// Two threads that are busy all the time: a tenth reading, a fifth in parse_csv, 64 % in resize,
// half of it on a processor. There are many processors.
PathWork BusyThreads() {
  return {.busy_ns = 2000,
          .cpu_ns = 1000,
          .read_ns = 200,
          .capacity_ns = 2000,
          .ops = {{.type = "parse_csv", .work = {.cpu_ns = 200, .wall_ns = 400}},
                  {.type = "resize", .work = {.cpu_ns = 640, .wall_ns = 1280}}}};
}

// The same where the processors are the limit: 600 of 2000 ns are spent waiting for one.
PathWork FullProcessors() {
  PathWork work = BusyThreads();
  work.cpu_ns = 1400;
  work.queue_ns = 600;
  work.ops[0].work = {.cpu_ns = 280, .wall_ns = 400};
  work.ops[1].work = {.cpu_ns = 896, .wall_ns = 1280};
  work.processors_ns = 2000;
  work.processors_busy_ns = 2000;
  work.process_ns = 2000;
  return work;
}

std::map<std::string, double> Factors(double wait_share, const PathWork& work) {
  std::map<std::string, double> factors;
  for (const PredictedGain& gain : PredictGains(wait_share, work)) {
    factors[gain.change] = gain.factor;
  }
  return factors;
}

TEST(PredictedGains, OfAnOpFollowItsShareOfTheThreads) {
  const auto factors = Factors(0.9, BusyThreads());
  EXPECT_THAT(factors.at("op resize twice as fast"), DoubleNear(1 / 0.68, 1e-9));
  EXPECT_THAT(factors.at("op parse_csv twice as fast"), DoubleNear(1 / 0.9, 1e-9));
  EXPECT_THAT(factors.at("storage twice as fast"), DoubleNear(1 / 0.95, 1e-9));
  EXPECT_EQ(factors.at("twice the threads"), 2.0);
  EXPECT_EQ(factors.at("a step twice as fast"), 1.0);
}

TEST(PredictedGains, EndWhereTheNextPartIsFull) {
  const auto factors = Factors(0.2, BusyThreads());
  EXPECT_EQ(factors.at("twice the threads"), 1 / 0.8) << "then the step is the limit";
}

TEST(PredictedGains, OfATrainingThatHardlyWaitsAreThoseOfItsStep) {
  PathWork idle = BusyThreads();
  idle.capacity_ns = 20'000;
  const auto gains = PredictGains(0.02, idle);
  EXPECT_EQ(gains.front().part, PathPart::kStep);
  EXPECT_EQ(gains.front().factor, 2.0);
  EXPECT_EQ(PredictGainsToShow(0.02, idle).size(), 1U);
}

TEST(PredictedGains, OfMoreThreadsAreNoneWhereTheProcessorsAreFull) {
  const auto factors = Factors(0.9, FullProcessors());
  EXPECT_EQ(factors.at("twice the threads"), 1.0);
  EXPECT_THAT(factors.at("op resize twice as fast"), DoubleNear(1 / (1 - 0.448 / 2), 1e-9))
      << "it has 896 of the 2000 ns that this process had";
  EXPECT_THAT(factors.at("twice the cores"), DoubleNear(1 / 0.7, 1e-9))
      << "then the threads are the limit: 1400 of 2000 ns without waiting for a processor";
}

TEST(PredictedGains, OfWorkersAndNetworksNeedLinks) {
  PathWork work = BusyThreads();
  EXPECT_EQ(Factors(0.9, work).count("a network twice as fast"), 0U);
  work.busy_ns = 1000;
  work.link_busy_ns = 950;
  work.link_ns = 1000;
  const auto factors = Factors(0.9, work);
  EXPECT_THAT(factors.at("a network twice as fast"), DoubleNear(0.95 / 0.5, 1e-9));
  EXPECT_EQ(factors.at("twice the workers, on other machines"), 2.0);
  EXPECT_EQ(factors.at("twice the threads"), 1.0);
}

// Threads and cores of the workers are used for 90 % of the time, the step for 25 %.
TEST(PredictedGains, RecommendAsManyWorkersAsTheStepCanUse) {
  PathWork work = BusyThreads();
  work.link_ns = 1000;
  const auto enough = PredictEnoughWorkers(0.75, work);
  ASSERT_TRUE(enough.has_value());
  EXPECT_EQ(enough->change, "4 times the workers, on other machines");
  EXPECT_THAT(enough->factor, DoubleNear(4, 1e-9)) << "then they are as fast as the step";
  EXPECT_THAT(PredictGainsToShow(0.75, work).front().change, enough->change);
  EXPECT_EQ(PredictEnoughWorkers(0.02, work), std::nullopt) << "the step is the limit";
  work.link_ns = 0;
  EXPECT_EQ(PredictEnoughWorkers(0.75, work), std::nullopt) << "there are no workers";
}

TEST(PredictedGains, AreNotGuessed) {
  EXPECT_THAT(PredictGains(0.9, {}), IsEmpty()) << "nothing was measured";
  PathWork idle = BusyThreads();
  idle.capacity_ns = 20'000;
  EXPECT_THAT(PredictGains(0.9, idle), IsEmpty()) << "something else is the limit";
}

TEST(PredictedGains, NameAnOpByItsPlaceWhereThereAreSeveral) {
  PathWork work = BusyThreads();
  work.ops.push_back(work.ops[1]);
  EXPECT_EQ(Factors(0.9, work).count("op resize (number 3 of the graph) twice as fast"), 1U);
}

TEST(PredictedGains, ComeTheLargestFirstAndWithoutNoise) {
  const auto told = PredictGainsToShow(0.9, BusyThreads());
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].change, "twice the threads");
  EXPECT_EQ(told[1].change, "op resize twice as fast");
  EXPECT_EQ(told[2].change, "op parse_csv twice as fast");
}

TEST(PathClock, MeasuresThreadsAndProcessors) {
  const PathClock clock(3);
  PathWork work;
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; work.process_ns == 0 && i < 1000; ++i) {
    for (uint64_t j = 0; j < 1'000'000; ++j) sum = sum + j;
    clock.Fill(work);
  }
  EXPECT_GT(work.process_ns, 0);
  EXPECT_GT(work.capacity_ns, 0);
  EXPECT_THAT(work.processors_busy_ns, AllOf(Ge(0), Le(work.processors_ns)));
}

TEST(PathClock, CountsThreadsForAsLongAsThereAreAsMany) {
  PathClock clock(1'000'000);
  clock.SetThreads(0);
  PathWork before;
  clock.Fill(before);
  EXPECT_GT(before.capacity_ns, 0);
  PathWork none;
  clock.Fill(none);
  EXPECT_EQ(none.capacity_ns, before.capacity_ns);
  clock.SetThreads(1'000'000);
  PathWork again;
  clock.Fill(again);
  EXPECT_GT(again.capacity_ns, before.capacity_ns);
}

}  // namespace
}  // namespace tidemill::loader

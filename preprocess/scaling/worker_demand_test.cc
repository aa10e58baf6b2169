#include "preprocess/scaling/worker_demand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tidemill::preprocess {
namespace {

using Clock = WorkerDemand::Clock;

// A training of a simulation, or a time without one.
struct Load {
  double seconds = 0;           // How long the training takes if it never waits.
  double steps_per_second = 0;  // When it never waits. 0: there is no training.
  double seconds_per_batch = 0;
};

// A stack whose workers start after a while, and whose measurements have noise. A training goes as
// fast as its steps or its workers allow, and ends when all its steps are made.
class SimulatedStack {
 public:
  SimulatedStack(std::vector<Load> loads, const DemandLimits& limits, unsigned seed)
      : loads_(std::move(loads)), limits_(limits), demand_(limits, limits.least), random_(seed) {}

  void Run() {
    for (const Load& load : loads_) {
      begins_.push_back(now_);
      totals_ = {.job_id = load.steps_per_second > 0 ? std::ssize(begins_) : 0};
      taken_ = 0;
      for (double left = load.seconds; left > 0; now_ += kStep) {
        const double speed = SpeedOf(load, static_cast<double>(ready_));
        left -= speed * kStep;
        Advance(load, speed);
        paid_ += kStep * PriceOfSecond(load, static_cast<double>(running_));
        worker_seconds_ += kStep * static_cast<double>(running_);
        Scale();
        wanted_.push_back(demand_.wanted());
      }
      oracle_ += BestPriceOf(load);
    }
  }

  // By how much more was paid than by an oracle, who knows each load in advance and has its workers
  // at once.
  double Regret() const { return paid_ / oracle_ - 1; }
  double seconds() const { return now_; }
  const std::set<std::string>& reasons() const { return reasons_; }
  double worker_seconds() const { return worker_seconds_; }
  double BeginOf(size_t load) const { return begins_[load]; }
  int64_t WantedAt(double t) const { return wanted_[static_cast<size_t>(t / kStep)]; }
  int ChangesIn(double from, double to) const {
    int changes = 0;
    for (auto i = static_cast<size_t>(from / kStep) + 1; i < static_cast<size_t>(to / kStep); ++i) {
      changes += wanted_[i] != wanted_[i - 1] ? 1 : 0;
    }
    return changes;
  }
  // The number of workers for which the load costs least.
  int64_t BestOf(const Load& load) const {
    int64_t best = limits_.least;
    double best_price = std::numeric_limits<double>::max();
    for (int64_t n = std::max<int64_t>(1, limits_.least); n <= limits_.most; ++n) {
      const auto workers = static_cast<double>(n);
      const double price = PriceOfSecond(load, workers) / SpeedOf(load, workers);
      if (price < best_price - 1e-12) best = n, best_price = price;
    }
    return load.steps_per_second > 0 ? best : limits_.least;
  }

 private:
  static constexpr double kStep = 1;
  static constexpr double kStartDelay = 4;
  static constexpr double kThreads = 2;
  static constexpr double kUsable = 0.95;

  // The rate of a training over the one at which it never waits.
  static double SpeedOf(const Load& load, double workers) {
    if (load.steps_per_second == 0) return 1;
    const double capacity = workers * kThreads * kUsable / load.seconds_per_batch;
    return std::min(1.0, capacity / load.steps_per_second);
  }
  double PriceOfSecond(const Load& load, double workers) const {
    return (load.steps_per_second > 0 ? 1 : 0) + workers * limits_.cost;
  }
  double BestPriceOf(const Load& load) const {
    const auto best = static_cast<double>(BestOf(load));
    return load.seconds * PriceOfSecond(load, best) / SpeedOf(load, best);
  }

  double Noise() { return std::exp(std::normal_distribution<>(0, 0.05)(random_)); }

  void Advance(const Load& load, double speed) {
    if (totals_.job_id == 0) return;
    totals_.consumer_seconds += kStep;
    totals_.not_waited_seconds += kStep * std::min(1.0, speed * Noise());
    taken_ += speed * load.steps_per_second * kStep;
    totals_.taken = static_cast<int64_t>(taken_);
    totals_.made = totals_.taken;
    totals_.busy_seconds +=
        speed * load.steps_per_second * kStep * load.seconds_per_batch * Noise();
  }

  void Scale() {
    std::vector<JobTotals> jobs;
    if (totals_.job_id != 0) jobs.push_back(totals_);
    const auto millis = std::chrono::milliseconds(static_cast<int64_t>(now_ * 1'000));
    const auto change = demand_.Observe(Clock::time_point(millis), jobs, kThreads);
    if (change) reasons_.insert(change->reason);
    if (demand_.wanted() < running_) starts_.clear();
    running_ = std::min(running_, demand_.wanted());
    for (; running_ < demand_.wanted(); ++running_) starts_.push_back(now_ + kStartDelay);
    std::erase_if(starts_, [&](double at) { return at <= now_; });
    ready_ = running_ - std::ssize(starts_);
  }

  const std::vector<Load> loads_;
  const DemandLimits limits_;
  WorkerDemand demand_;
  std::mt19937 random_;
  double now_ = 0;
  JobTotals totals_;
  double taken_ = 0;
  int64_t running_ = 0;
  int64_t ready_ = 0;
  std::vector<double> starts_;  // When those that were started are ready.
  std::vector<double> begins_;
  std::set<std::string> reasons_;
  std::vector<int64_t> wanted_;
  double paid_ = 0;
  double oracle_ = 0;
  double worker_seconds_ = 0;
};

constexpr DemandLimits kLimits{.least = 0, .most = 16};

TEST(WorkerDemand, FollowsADemandThatGrowsAndShrinks) {
  const std::vector<Load> loads = {
      {.seconds = 200, .steps_per_second = 20, .seconds_per_batch = 0.1},
      {.seconds = 200, .steps_per_second = 80, .seconds_per_batch = 0.1},
      {.seconds = 200, .steps_per_second = 40, .seconds_per_batch = 0.1}};
  SimulatedStack stack(loads, kLimits, 1);
  stack.Run();
  for (size_t i = 0; i < loads.size(); ++i) {
    const auto best = static_cast<double>(stack.BestOf(loads[i]));
    const double settled = stack.BeginOf(i) + 60;
    const double end = i + 1 < loads.size() ? stack.BeginOf(i + 1) : stack.seconds();
    EXPECT_NEAR(static_cast<double>(stack.WantedAt(settled)), best, std::max(0.5, best * 0.1));
    EXPECT_EQ(stack.ChangesIn(settled, end), 0);
  }
  EXPECT_EQ(stack.reasons(), (std::set<std::string>{"a job has come", "trainings wait for batches",
                                                    "fewer workers suffice"}));
  // The best fixed number is that of the largest demand.
  const auto most = static_cast<double>(stack.BestOf(loads[1]));
  EXPECT_LT(stack.worker_seconds(), 0.7 * most * 600);
  EXPECT_LT(stack.seconds(), 1.05 * 600);
}

TEST(WorkerDemand, WantsNoneWithoutAJobAndOneForAJobOfWhichNothingIsKnown) {
  WorkerDemand demand(kLimits, 0);
  Clock::time_point now{};
  EXPECT_FALSE(demand.Observe(now, {}, 2).has_value());
  const auto change = demand.Observe(now += std::chrono::seconds(1), {{.job_id = 1}}, 2);
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->wanted, 1);
  EXPECT_EQ(change->reason, "a job has come");
  for (int i = 0; i < 30; ++i) demand.Observe(now += std::chrono::seconds(1), {}, 2);
  EXPECT_EQ(demand.wanted(), 0);
}

TEST(WorkerDemand, KeepsToItsBounds) {
  for (const DemandLimits& limits :
       {DemandLimits{.least = 2, .most = 3}, DemandLimits{.least = 5, .most = 5}}) {
    SimulatedStack busy({{.seconds = 1, .steps_per_second = 500, .seconds_per_batch = 1}}, limits,
                        1);
    busy.Run();
    EXPECT_EQ(busy.WantedAt(busy.seconds() - 1), limits.most);
    SimulatedStack idle({{.seconds = 100}}, limits, 1);
    idle.Run();
    EXPECT_EQ(idle.WantedAt(99), limits.least);
  }
}

TEST(WorkerDemand, WeighsWhatAWorkerCostsAgainstTheTimeThatItSaves) {
  // 2.2 workers would do: the third saves a tenth of the training's time.
  const std::vector<Load> loads = {
      {.seconds = 100, .steps_per_second = 41.8, .seconds_per_batch = 0.1}};
  for (const auto& [cost, wanted] : {std::pair(0.01, 3), std::pair(0.5, 2)}) {
    DemandLimits limits = kLimits;
    limits.cost = cost;
    SimulatedStack stack(loads, limits, 1);
    stack.Run();
    EXPECT_EQ(stack.WantedAt(99), wanted) << "at a cost of " << cost;
  }
}

// Hours of loads that come, change and go at random.
TEST(WorkerDemand, CostsLittleMoreThanAnOracleThatKnowsEveryLoad) {
  std::mt19937 random(11);
  const auto between = [&](double least, double most) {
    return std::exp(std::uniform_real_distribution<>(std::log(least), std::log(most))(random));
  };
  int num_close = 0;
  constexpr int kLoads = 1'000;
  for (int round = 0; round < kLoads; ++round) {
    std::vector<Load> loads;
    for (int i = 0; i < 12; ++i) {
      const bool idle = random() % 8 == 0;
      loads.push_back({.seconds = between(120, 2'400),
                       .steps_per_second = idle ? 0 : between(1, 400),
                       .seconds_per_batch = between(0.002, 0.3)});
    }
    SimulatedStack stack(loads, kLimits, static_cast<unsigned>(round));
    stack.Run();
    num_close += stack.Regret() < 0.15 ? 1 : 0;
  }
  EXPECT_GE(num_close, kLoads * 9 / 10);
}

}  // namespace
}  // namespace tidemill::preprocess

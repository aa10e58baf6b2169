// Workers that come, stall and die, a consumer that is replaced, and a dispatcher that is killed
// again and again: every batch reaches the consumer, and none is issued that is done.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "preprocess/dispatcher/testing/dispatcher_life.h"

namespace tidemill::preprocess {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::tidemill::testing::IsOk;

constexpr int64_t kBatches = 60;
constexpr int64_t kSplitBatches = 4;
constexpr int64_t kReportedWindow = 13;

struct SimulatedWorker {
  std::string name;
  Incarnation incarnation;
  bool dead = false;
  // What it has yet to deliver.
  std::vector<v1::Split> splits = {};
  std::string last_request = {};
  // The last request failed: whether splits were given is open until it is repeated.
  bool unanswered = false;
};

struct SimulatedLane {
  int64_t done_before = 0;
  // What has arrived beyond it.
  std::set<int64_t> waiting;
  // As the dispatcher knows it.
  int64_t reported_before = 0;
  // Batch -> last attempt that a worker was told of.
  std::map<int64_t, int32_t> attempts;

  void Add(int64_t batch) {
    if (batch >= done_before) waiting.insert(batch);
    while (waiting.erase(done_before) > 0) ++done_before;
  }
};

class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed), lanes_(3) {
    job_ = life_.CreateJob({.lanes = {{.end_batch = kBatches},
                                      {.end_batch = kBatches, .shard = 1},
                                      {.end_batch = kBatches, .shard = 2}},
                            .split_batches = kSplitBatches});
    for (const char* const name : {"a", "b", "c"}) {
      workers_.push_back({.name = name, .incarnation = life_.Register(name)});
    }
  }
  ~Simulation() { failpoints::DisarmAll(); }

  // Trouble of all kinds, then as much peace as is needed to come to the end.
  void Run() {
    for (int step = 0; step < 400; ++step) Act(Draw(100));
    for (int step = 0; step < 2000 && !IsOver(); ++step) Act(Draw(70));
    EXPECT_TRUE(IsOver()) << "it came to a standstill";
  }

 private:
  int Draw(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  SimulatedWorker& AnyWorker() { return workers_[static_cast<size_t>(Draw(3))]; }

  bool IsOver() const {
    return std::ranges::all_of(
        lanes_, [](const SimulatedLane& lane) { return lane.done_before == kBatches; });
  }

  void Act(int action) {
    if (action < 15) return Lease(AnyWorker(), "");
    if (action < 20) return Lease(AnyWorker(), "again");
    if (action < 50) return Deliver(AnyWorker());
    if (action < 60) return Report({0, 1}, "left " + std::to_string(num_lives_));
    if (action < 70) return Report({2}, "right");
    if (action < 78) return Die(AnyWorker());
    if (action < 84) return Register(AnyWorker());
    if (action < 90) return life_.Pass(milliseconds{1500});
    if (action < 94) return life_.Restart();
    if (action < 95) return ReplaceConsumer();
    if (action < 98) return Arm("preprocess.after_lease=error");
    return Arm("preprocess.before_progress=error");
  }

  // The consumer of the first two lanes: what it had not taken is gone.
  void ReplaceConsumer() {
    ++num_lives_;
    for (const size_t lane : {size_t{0}, size_t{1}}) lanes_[lane].waiting.clear();
  }

  void Arm(const std::string& failpoint) {
    failpoints::DisarmAll();
    EXPECT_THAT(failpoints::Arm(failpoint), IsOk());
  }

  void Die(SimulatedWorker& worker) {
    worker.dead = true;
    worker.splits.clear();
  }

  void Register(SimulatedWorker& worker) {
    worker.incarnation = life_.Register(worker.name);
    worker.dead = false;
    worker.splits.clear();
    worker.last_request.clear();
    worker.unanswered = false;
  }

  void Lease(SimulatedWorker& worker, const std::string& kind) {
    if (worker.dead) return Register(worker);
    const bool again = worker.unanswered || (kind == "again" && !worker.last_request.empty());
    const std::string request =
        again ? worker.last_request : "request " + std::to_string(++num_requests_);
    const auto response = life_.Lease(worker.incarnation, 1 + Draw(3), request);
    worker.last_request = request;
    worker.unanswered = absl::IsUnavailable(response.status());
    if (worker.unanswered) return;
    if (absl::IsNotFound(response.status())) return Register(worker);
    ASSERT_THAT(response, IsOk());
    for (const v1::Split& split : response->splits()) {
      if (HeardBefore(worker, split)) {
        EXPECT_TRUE(again);
        continue;
      }
      CheckLease(split);
      worker.splits.push_back(split);
      heard_.insert({worker.incarnation, request, Key(split)});
    }
  }

  static std::string Key(const v1::Split& split) { return split.ShortDebugString(); }
  bool HeardBefore(const SimulatedWorker& worker, const v1::Split& split) const {
    return heard_.contains({worker.incarnation, worker.last_request, Key(split)});
  }

  void CheckLease(const v1::Split& split) {
    SimulatedLane& lane = lanes_[static_cast<size_t>(split.lane())];
    EXPECT_LT(split.from_batch(), lane.reported_before + kReportedWindow);
    EXPECT_GE(split.from_batch(), lane.reported_before) << "it is done and issued again";
    for (int64_t batch = split.from_batch(); batch < split.to_batch(); ++batch) {
      int32_t& attempt = lane.attempts[batch];
      EXPECT_GT(split.attempt(), attempt) << batch;
      attempt = split.attempt();
    }
  }

  // A worker may be thought lost and deliver all the same.
  void Deliver(SimulatedWorker& worker) {
    if (worker.dead || worker.splits.empty()) return;
    const size_t index = static_cast<size_t>(Draw(static_cast<int>(worker.splits.size())));
    v1::Split& split = worker.splits[index];
    lanes_[static_cast<size_t>(split.lane())].Add(split.from_batch());
    split.set_from_batch(split.from_batch() + 1);
    if (split.from_batch() == split.to_batch()) {
      worker.splits.erase(worker.splits.begin() + static_cast<std::ptrdiff_t>(index));
    }
  }

  void Report(const std::vector<int32_t>& lanes, const std::string& consumer) {
    testing::Report report{.job_id = job_, .consumer = consumer, .lanes = {}};
    for (const SimulatedWorker& worker : workers_) {
      (worker.dead ? report.broken : report.connected).push_back(worker.incarnation);
    }
    for (const int32_t number : lanes) {
      SimulatedLane& lane = lanes_[static_cast<size_t>(number)];
      lane.reported_before = lane.done_before;
      report.lanes.push_back(
          {.lane = number, .done_before = lane.done_before, .window = kReportedWindow});
    }
    ASSERT_THAT(life_.Report(report), IsOk());
  }

  std::mt19937 random_;
  testing::DispatcherLife life_;
  int64_t job_ = 0;
  std::vector<SimulatedWorker> workers_;
  std::vector<SimulatedLane> lanes_;
  std::set<std::tuple<Incarnation, std::string, std::string>> heard_;
  int num_requests_ = 0;
  // The lives of the consumer that reads the first two lanes: each is another consumer.
  int num_lives_ = 1;
};

class DispatcherSimulation : public ::testing::TestWithParam<unsigned> {};

TEST_P(DispatcherSimulation, EveryBatchReachesTheConsumerAndNoneIsIssuedThatIsDone) {
  Simulation(GetParam()).Run();
}

INSTANTIATE_TEST_SUITE_P(Seeds, DispatcherSimulation, ::testing::Range(0u, 40u));

}  // namespace
}  // namespace tidemill::preprocess

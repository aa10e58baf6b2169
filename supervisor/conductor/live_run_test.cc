// Live runs against services that answer at once.
#include <algorithm>
#include <map>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/testing/live_pipeline.h"
#include "supervisor/testing/open_pool.h"
#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;

using TimesAndKeys = std::vector<std::pair<int64_t, int64_t>>;  // (seconds, key).

using testing::kLive;
using testing::Seconds;

v1::SubmitPipelineRequest RequestOfLiveRun(const std::string& request_id, const std::string& live,
                                           const std::string& more = "") {
  return testing::LiveRequest(testing::kTestdata.string(), request_id, live, more);
}

class LiveRunTest : public testing::SupervisorFixture {
 protected:
  // Waits for the n-th model, or for the end of a run that failed.
  void AwaitModels(RunId run, int n) {
    while (true) {
      const v1::GetRunResponse shown = Get(run);
      ASSERT_NE(shown.run().state(), v1::RUN_STATE_FAILED) << shown.run().error();
      if (shown.triggers_size() >= n && shown.triggers(n - 1).model_id() > 0) return;
      std::this_thread::yield();
    }
  }

  // Waits until n rounds are measured and what they leave over is removed: a stop before that leads
  // straight to the last round.
  void AwaitRounds(RunId run, int n) {
    const auto are_measured = [&] {
      const v1::GetRunResponse shown = Get(run);
      int rounds = 0;
      for (const v1::RecordedEvent& event : shown.events()) {
        if (event.event().has_evaluation_finished()) ++rounds;
      }
      return rounds >= n;
    };
    while (!are_measured()) std::this_thread::yield();
    AwaitLooks(2);
  }

  // Waits until the run has looked at its dataset that many times more.
  void AwaitLooks(int looks) {
    const int before = services_.Calls("SyncDataset");
    while (services_.Calls("SyncDataset") < before + looks) std::this_thread::yield();
  }

  v1::RunState Stop(RunId run) {
    EXPECT_THAT(supervisor_->run_control().Stop(run), IsOk());
    while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
    return Get(run).run().state();
  }

  // What each trigger trained on.
  std::vector<TimesAndKeys> Trained(RunId run) {
    std::map<int64_t, TimesAndKeys> sets;
    for (const auto& request : services_.selections()) {
      if (request.command().run_id() != run.value) continue;
      sets[request.trigger()] = testing::SamplesOf(services_, request).trained;
    }
    std::vector<TimesAndKeys> trained;
    for (auto& [trigger, set] : sets) trained.push_back(std::move(set));
    return trained;
  }
};

TEST_F(LiveRunTest, TrainsOnWhatArrivesUntilItIsStoppedAndMeasuresEachWindowThatEnds) {
  services_.Arrive({});
  const RunId run = Submit(RequestOfLiveRun("a", kLive));
  AwaitLooks(3);
  services_.Arrive(Seconds(0, 14));
  AwaitLooks(3);
  EXPECT_EQ(Get(run).triggers_size(), 0);  // The tenth sample is not five seconds old.
  services_.Arrive(Seconds(14, 16));
  AwaitModels(run, 1);
  services_.Arrive(Seconds(16, 32));
  AwaitModels(run, 2);
  AwaitRounds(run, 2);
  EXPECT_EQ(Stop(run), v1::RUN_STATE_STOPPED);
  const auto trained = Trained(run);
  ASSERT_THAT(trained, SizeIs(2));
  EXPECT_EQ(trained[0].front(), std::pair(int64_t{0}, int64_t{1}));
  EXPECT_EQ(trained[1].front(), std::pair(int64_t{10}, int64_t{11}));
  EXPECT_EQ(trained[1].back(), std::pair(int64_t{19}, int64_t{20}));
  // Each window when it ended, then all three up to the end of what is there.
  const auto evaluations = services_.evaluations();
  ASSERT_THAT(evaluations, SizeIs(3));
  EXPECT_THAT((std::vector{evaluations[0].windows_size(), evaluations[1].windows_size(),
                           evaluations[2].windows_size()}),
              ElementsAre(1, 1, 3));
  EXPECT_EQ(evaluations[1].windows(0).from().ShortDebugString(),
            evaluations[0].windows(0).to().ShortDebugString());
  EXPECT_EQ(evaluations[2].windows(2).to().event_time(), 31'000'000);
  EXPECT_THAT((std::vector{evaluations[0].evaluation(), evaluations[1].evaluation(),
                           evaluations[2].evaluation()}),
              ElementsAre(1, 2, 3));
  EXPECT_EQ(evaluations[1].later_uses(), 1) << "at the end";
  EXPECT_EQ(evaluations[2].later_uses(), 0);
}

TEST_F(LiveRunTest, DecidesTheSameInWhateverOrderAndBatchesSamplesArrive) {
  const std::vector<int64_t> times = Seconds(0, 70);
  services_.Arrive({});
  const RunId in_order = Submit(RequestOfLiveRun("a", kLive));
  services_.Arrive(times);
  AwaitModels(in_order, 6);
  Stop(in_order);
  std::vector<std::vector<int64_t>> expected;
  for (const TimesAndKeys& set : Trained(in_order)) {
    std::vector<int64_t>& seconds = expected.emplace_back();
    for (const auto& [second, key] : set) seconds.push_back(second);
  }
  for (const size_t batch : {1, 3, 11}) {
    testing::FakeServices services;
    const auto pool = testing::OpenPool(*database_);
    Supervisor supervisor(*database_, services.Connect(), services.Connect(), *pool);
    // Neighbours change places, none by more than four seconds.
    std::vector<int64_t> shuffled = times;
    for (size_t i = 0; i + 4 < shuffled.size(); i += 5) {
      std::rotate(shuffled.begin() + static_cast<ptrdiff_t>(i),
                  shuffled.begin() + static_cast<ptrdiff_t>(i + batch % 4),
                  shuffled.begin() + static_cast<ptrdiff_t>(i + 5));
    }
    services.Arrive({});
    testing::DeletePipeline(supervisor).IgnoreError();
    const auto run =
        supervisor.submissions().Submit(RequestOfLiveRun("batch " + std::to_string(batch), kLive));
    ASSERT_THAT(run, IsOk());
    for (size_t i = 0; i < shuffled.size(); i += batch) {
      services.Arrive(
          {shuffled.begin() + static_cast<ptrdiff_t>(i),
           shuffled.begin() + static_cast<ptrdiff_t>(std::min(i + batch, shuffled.size()))});
      const int before = services.Calls("SyncDataset");
      while (services.Calls("SyncDataset") < before + 2) std::this_thread::yield();
    }
    while (services.Calls("StoreModel") < 6) std::this_thread::yield();
    ASSERT_THAT(supervisor.run_control().Stop({run->run_id()}), IsOk());
    ASSERT_THAT(supervisor.run_control().Stop({run->run_id()}), IsOk());
    std::map<int64_t, std::vector<int64_t>> sets;
    for (const auto& request : services.selections()) {
      std::vector<int64_t> seconds;
      const testing::TrainedOn set = testing::SamplesOf(services, request);
      EXPECT_THAT(set.late, IsEmpty());
      for (const auto& [second, key] : set.trained) seconds.push_back(second);
      sets[request.trigger()] = seconds;
    }
    ASSERT_THAT(sets, SizeIs(expected.size()));
    for (const auto& [trigger, seconds] : sets) {
      EXPECT_EQ(seconds, expected[static_cast<size_t>(trigger - 1)]) << "in batches of " << batch;
    }
  }
}

TEST_F(LiveRunTest, TakesNoMoreThanIdleToContinueWithWhatIsThere) {
  services_.Arrive(Seconds(0, 10));
  const RunId run = Submit(RequestOfLiveRun("a", "{lateness: 1d, poll: 1ms, idle: 50ms}"));
  AwaitModels(run, 1);
  EXPECT_THAT(Trained(run)[0], SizeIs(10));
}

// Also where labels become known twelve seconds after their samples.
TEST_F(LiveRunTest, DecidesAsAReplayOfTheSameSamplesDoes) {
  services_.Arrive(Seconds(0, 75));
  for (const std::string delay : {"0s", "12s"}) {
    for (const std::string trigger : {"{type: amount, samples: 10}", "{type: time, every: 7s}"}) {
      std::vector<std::vector<TimesAndKeys>> trained;
      for (const bool live : {false, true}) {
        auto request = RequestOfLiveRun(delay + trigger + (live ? "live" : "replay"),
                                        "{lateness: 1d, poll: 1ms, idle: 0s}");
        std::string text = request.pipeline();
        const auto replace = [&](const std::string& old, const std::string& with) {
          text.replace(text.find(old), old.size(), with);
        };
        replace("path: data", "label_delay: " + delay + "\n    path: data");
        replace("{type: amount, samples: 10}", trigger);
        if (!live) text.erase(text.find("live:"));
        request.set_pipeline(text);
        const RunId run = Submit(request);
        if (live) {
          AwaitModels(run, static_cast<int>(trained[0].size()));
          Stop(run);
        } else {
          while (Get(run).run().state() == v1::RUN_STATE_RUNNING) std::this_thread::yield();
        }
        trained.push_back(Trained(run));
        ASSERT_THAT(testing::DeletePipeline(*supervisor_), IsOk());
      }
      EXPECT_GT(trained[0].size(), 5);
      EXPECT_EQ(trained[0], trained[1]) << delay << " " << trigger;
    }
  }
}

TEST_F(LiveRunTest, ResumesAfterADecisionThatItWasIdleFor) {
  services_.Arrive(Seconds(0, 15));
  const auto request = RequestOfLiveRun("a", "{lateness: 20s, poll: 1ms, idle: 100ms}");
  const RunId run = Submit(request);
  AwaitModels(run, 1);
  EXPECT_EQ(Stop(run), v1::RUN_STATE_STOPPED);
  Restart();
  // The clock goes back to before the decision, which stays.
  services_.Arrive({16, 17});
  ASSERT_THAT(supervisor_->run_control().Resume(run), IsOk());
  AwaitLooks(20);
  services_.Arrive(Seconds(18, 30));
  AwaitModels(run, 2);
  const auto trained = Trained(run);
  EXPECT_EQ(trained[1].front().first, 10);
  EXPECT_EQ(trained[1].back().first, 20);  // There is none of second 15.
}

TEST_F(LiveRunTest, WaitsForWhatItIsToBeginWith) {
  services_.Arrive(Seconds(0, 40));
  const RunId run =
      Submit(RequestOfLiveRun("a", kLive, "replay: {from: '1970-01-01T00:01:00Z'}\n"));
  AwaitLooks(5);
  services_.Arrive(Seconds(58, 80));
  AwaitModels(run, 1);
  EXPECT_EQ(Trained(run)[0].front().first, 60);
  EXPECT_EQ(services_.selections().at(0).begin().event_time(), 60'000'000);
}

TEST_F(LiveRunTest, FollowsTheWallClockWhereItIsToldTo) {
  const int64_t now = Now().micros / 1'000'000;
  services_.Arrive(Seconds(now + 3600, now + 3660));
  const RunId run =
      Submit(RequestOfLiveRun("a", "{clock: wall, lateness: 5s, poll: 1ms, idle: 0s}"));
  AwaitLooks(5);
  EXPECT_EQ(Get(run).triggers_size(), 0);
  services_.Arrive(Seconds(now - 3600, now - 3590));
  AwaitModels(run, 1);
  EXPECT_EQ(Trained(run)[0].front().first, now - 3600);
}

class RowAheadTest : public LiveRunTest {
 protected:
  // Fires every ten seconds.
  static v1::SubmitPipelineRequest Request(const std::string& live) {
    v1::SubmitPipelineRequest request = RequestOfLiveRun("a", live);
    std::string text = request.pipeline();
    const std::string amount = "{type: amount, samples: 10}";
    request.set_pipeline(
        text.replace(text.find(amount), amount.size(), "{type: time, every: 10s}"));
    return request;
  }

  static std::vector<size_t> SizesOf(const std::vector<TimesAndKeys>& sets) {
    std::vector<size_t> sizes;
    for (const TimesAndKeys& set : sets) sizes.push_back(set.size());
    return sizes;
  }
};

TEST_F(RowAheadTest, CutsNoPeriodShort) {
  constexpr int64_t kFarAway = 253'370'764'800;
  services_.Arrive(Seconds(0, 14));
  const RunId run = Submit(Request("{lateness: 2s, poll: 1ms, idle: 1d, late: quarantine}"));
  services_.Arrive({86'400, kFarAway});
  AwaitLooks(3);
  for (int64_t from = 14; from < 44; from += 5) {
    services_.Arrive(Seconds(from, from + 5));
    AwaitLooks(3);
  }
  AwaitModels(run, 4);
  v1::GetRunResponse shown = Get(run);
  EXPECT_EQ(shown.samples_ahead().num_samples(), 2);
  EXPECT_EQ(shown.samples_ahead().first_event_time(), int64_t{86'400} * 1'000'000);
  Stop(run);
  EXPECT_THAT(SizesOf(Trained(run)), ElementsAre(10, 10, 10, 10));
  shown = Get(run);
  for (const v1::Trigger& trigger : shown.triggers()) EXPECT_EQ(trigger.num_late(), 0);
  EXPECT_EQ(shown.stream_ended().num_late(), 0);
  EXPECT_EQ(shown.stream_ended().num_leftover(), 4 + 2);
}

// Not even while nothing else comes.
TEST_F(RowAheadTest, DoesNotMoveAnIdleClock) {
  services_.Arrive(Seconds(0, 15));
  const RunId run = Submit(Request("{lateness: 1d, poll: 1ms, idle: 1ms, late: quarantine}"));
  AwaitModels(run, 1);
  services_.Arrive({86'400});
  AwaitLooks(20);
  services_.Arrive(Seconds(15, 35));
  AwaitModels(run, 3);
  EXPECT_THAT(SizesOf(Trained(run)), ElementsAre(10, 10, 10));
  EXPECT_EQ(Get(run).triggers(2).num_late(), 0);
}

TEST_F(RowAheadTest, IsForgottenOnceTheOthersAreThere) {
  services_.Arrive(Seconds(0, 15));
  const RunId run = Submit(Request("{lateness: 0s, poll: 1ms, idle: 1d, ahead: 5s}"));
  services_.Arrive({60});
  while (!Get(run).has_samples_ahead()) std::this_thread::yield();
  services_.Arrive(Seconds(15, 62));
  while (Get(run).has_samples_ahead()) std::this_thread::yield();
  AwaitModels(run, 6);
  EXPECT_EQ(Trained(run)[5].size(), 10U);
}

// One trigger, two late samples and one that is only out of order, a second trigger.
class LatePolicyTest : public LiveRunTest {
 protected:
  RunId Run(const std::string& late) {
    services_.Arrive(Seconds(0, 20));
    const RunId run =
        Submit(RequestOfLiveRun("a", "{lateness: 5s, poll: 1ms, idle: 1d, late: " + late + "}"));
    AwaitModels(run, 1);
    services_.Arrive({3, 15, 5});
    services_.Arrive(Seconds(20, 30));
    AwaitModels(run, 2);
    return run;
  }

  static TimesAndKeys LateOnes() { return {{3, 21}, {5, 23}}; }

  // The samples of the last evaluation's first window, [0, 10).
  TimesAndKeys FirstWindow() {
    const auto evaluation = services_.evaluations().back();
    storage::v1::ListSamplesRequest request;
    *request.mutable_snapshot() = evaluation.snapshot();
    *request.mutable_from() = evaluation.windows(0).from();
    *request.mutable_to() = evaluation.windows(0).to();
    return services_.Samples(request);
  }
};

TEST_F(LatePolicyTest, BaselinesNeverKnowThem) {
  Run("accept");
  storage::v1::ListSamplesRequest request;
  *request.mutable_snapshot() = services_.evaluations().back().known_labels().snapshot();
  request.mutable_to()->set_event_time(30'000'000);
  const TimesAndKeys known = services_.Samples(request);
  EXPECT_THAT(known, ::testing::Not(IsEmpty()));
  for (const auto& sample : LateOnes()) {
    EXPECT_THAT(known, ::testing::Not(::testing::Contains(sample)));
  }
}

TEST_F(LatePolicyTest, AcceptTrainsOnThemAtTheNextTrigger) {
  const RunId run = Run("accept");
  TimesAndKeys expected = LateOnes();
  for (const auto& sample : TimesAndKeys{{10, 11},
                                         {11, 12},
                                         {12, 13},
                                         {13, 14},
                                         {14, 15},
                                         {15, 16},
                                         {15, 22},
                                         {16, 17},
                                         {17, 18},
                                         {18, 19}}) {
    expected.push_back(sample);
  }
  EXPECT_EQ(Trained(run)[1], expected);
  const v1::GetRunResponse shown = Get(run);
  EXPECT_EQ(shown.triggers(1).num_late(), 2);
  EXPECT_EQ(shown.triggers(1).late(), "accept");
  EXPECT_EQ(shown.triggers(1).num_samples(), 12);
}

TEST_F(LatePolicyTest, WindowOnlyMeasuresThem) {
  const RunId run = Run("window");
  EXPECT_THAT(Trained(run)[1], SizeIs(10));
  EXPECT_EQ(testing::SamplesOf(services_, services_.selections()[1]).late, LateOnes());
  Stop(run);
  EXPECT_THAT(FirstWindow(), SizeIs(12));
}

TEST_F(LatePolicyTest, QuarantineSetsThemAside) {
  const RunId run = Run("quarantine");
  EXPECT_THAT(Trained(run)[1], SizeIs(10));
  EXPECT_EQ(testing::SamplesOf(services_, services_.selections()[1]).late, LateOnes());
  EXPECT_EQ(Get(run).triggers(1).num_late(), 2);
  Stop(run);
  EXPECT_THAT(FirstWindow(), SizeIs(10));
}

TEST_F(LiveRunTest, ContinuesWhereItWasStopped) {
  services_.Arrive(Seconds(0, 20));
  const RunId run = Submit(RequestOfLiveRun("a", kLive));
  AwaitModels(run, 1);
  EXPECT_EQ(Stop(run), v1::RUN_STATE_STOPPED);
  services_.Arrive(Seconds(20, 40));
  EXPECT_EQ(Submit(RequestOfLiveRun("b", kLive)), run);
  AwaitModels(run, 3);
  EXPECT_EQ(Stop(run), v1::RUN_STATE_STOPPED);
  TimesAndKeys all;
  for (const TimesAndKeys& set : Trained(run)) all.insert(all.end(), set.begin(), set.end());
  ASSERT_THAT(all, SizeIs(30));
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].first, static_cast<int64_t>(i));
  // One value of each model in each window, however often it was measured.
  EXPECT_EQ(Get(run).results_size(), 3 * 4);
}

TEST_F(LiveRunTest, StopsInTheMiddleOfATrainingAndTrainsWhenResumed) {
  services_.HoldTrainings();
  services_.Arrive(Seconds(0, 20));
  const RunId run = Submit(RequestOfLiveRun("a", kLive));
  while (services_.Calls("StartTraining") == 0) std::this_thread::yield();
  EXPECT_EQ(Stop(run), v1::RUN_STATE_STOPPED);
  EXPECT_EQ(services_.Calls("StopTraining"), 1);
  EXPECT_EQ(Get(run).triggers(0).model_id(), 0);
  services_.Release();
  ASSERT_THAT(supervisor_->run_control().Resume(run), IsOk());
  AwaitModels(run, 1);
}

TEST_F(LiveRunTest, KeepsTheNewestModelsAndSaysWhichItDidNotMeasure) {
  services_.Arrive({});
  const RunId run =
      Submit(RequestOfLiveRun("a", kLive, "retention: {models: 2, training_sets: 1}\n"));
  services_.Arrive(Seconds(0, 50));
  AwaitModels(run, 4);
  AwaitRounds(run, 4);
  EXPECT_EQ(Stop(run), v1::RUN_STATE_STOPPED);
  const auto retired = services_.retired();
  ASSERT_THAT(retired, SizeIs(3));
  EXPECT_EQ(retired.back().first_model(), 3);
  EXPECT_EQ(retired.back().first_training_set(), 4);
  const v1::GetRunResponse shown = Get(run);
  EXPECT_TRUE(shown.triggers(1).removed());
  EXPECT_FALSE(shown.triggers(2).removed());
  EXPECT_THAT(services_.evaluations().back().model_ids(),
              ElementsAre(100 * run.value + 3, 100 * run.value + 4));
}

}  // namespace
}  // namespace tidemill::supervisor

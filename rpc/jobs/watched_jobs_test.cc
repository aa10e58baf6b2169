#include "rpc/jobs/watched_jobs.h"

#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::rpc {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

using Jobs = WatchedJobs<std::pair<int64_t, int64_t>, std::string>;
constexpr std::pair<int64_t, int64_t> kKey{7, 1};

Jobs::Change To(std::string text) {
  return [text = std::move(text)](std::string& progress) { progress = text; };
}

bool Alive() { return true; }

// Watches until the job ends. Calls `after` with each progress shown.
std::vector<std::string> Shown(Jobs& jobs, const Jobs::Job& job,
                               const std::function<void(const std::string&)>& after = nullptr) {
  std::vector<std::string> shown;
  EXPECT_THAT(jobs.Watch(
                  job,
                  [&](const std::string& progress) {
                    shown.push_back(progress);
                    if (after) after(progress);
                    return true;
                  },
                  Alive),
              IsOk());
  return shown;
}

TEST(WatchedJobs, AWatchShowsThePresentAndEveryChangeUntilTheEnd) {
  Jobs jobs("mill");
  const auto added = jobs.Add(kKey, "queued");
  ASSERT_THAT(added, IsOk());
  EXPECT_TRUE(added->is_new);
  Jobs::Job& job = *added->job;
  const auto next = [&](const std::string& progress) {
    if (progress == "queued") jobs.Begin(job, To("running"));
    if (progress == "running") jobs.Update(job, To("half"));
    if (progress == "half") jobs.End(job, absl::OkStatus(), To("done"));
  };
  EXPECT_THAT(Shown(jobs, job, next), ElementsAre("queued", "running", "half", "done"));
  EXPECT_THAT(Shown(jobs, job), ElementsAre("done"));
}

TEST(WatchedJobs, ASlowWatchSkipsChangesButNotTheLast) {
  Jobs jobs("mill");
  Jobs::Job& job = *jobs.Add(kKey, "queued")->job;
  const auto many_at_once = [&](const std::string& progress) {
    if (progress != "queued") return;
    for (int i = 0; i < 100; ++i) jobs.Update(job, To(std::to_string(i)));
    jobs.End(job, absl::OkStatus(), To("done"));
  };
  EXPECT_THAT(Shown(jobs, job, many_at_once), ElementsAre("queued", "done"));
}

TEST(WatchedJobs, AnEndThatChangesNothingShowsNothing) {
  Jobs jobs("mill");
  Jobs::Job& job = *jobs.Add(kKey, "queued")->job;
  const auto end = [&](const std::string&) { jobs.End(job, Unavailable("no room")); };
  EXPECT_THAT(Shown(jobs, job, end), ElementsAre("queued"));
  EXPECT_THAT(jobs.EndOf(job), Optional(StatusIs(absl::StatusCode::kUnavailable, "no room")));
}

TEST(WatchedJobs, AWatchSleepsUntilAnotherThreadMakesAChange) {
  Jobs jobs("mill");
  const Jobs::SharedJob job = jobs.Add(kKey, "queued")->job;
  std::jthread runner;
  const auto start = [&](const std::string& progress) {
    if (progress != "queued") return;
    runner = std::jthread([&] {
      jobs.Begin(*job, To("running"));
      jobs.End(*job, absl::OkStatus(), To("done"));
    });
  };
  const std::vector<std::string> shown = Shown(jobs, *job, start);
  EXPECT_EQ(shown.front(), "queued");
  EXPECT_EQ(shown.back(), "done");
}

TEST(WatchedJobs, AWatchEndsWhenNobodyListens) {
  Jobs jobs("mill");
  const Jobs::Job& job = *jobs.Add(kKey, "queued")->job;
  bool alive = true;
  const auto leave = [&](const std::string&) {
    alive = false;
    return true;
  };
  EXPECT_THAT(jobs.Watch(job, leave, [&] { return alive; }),
              StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_THAT(jobs.Watch(
                  job, [](const std::string&) { return false; }, Alive),
              IsOk());
}

TEST(WatchedJobs, OneThatIsActiveIsJoinedAndOneThatHasEndedIsReplaced) {
  Jobs jobs("mill");
  const Jobs::SharedJob first = jobs.Add(kKey, "first")->job;
  const auto joined = jobs.Add(kKey, "second");
  EXPECT_FALSE(joined->is_new);
  EXPECT_EQ(joined->job, first);
  jobs.End(*first, absl::OkStatus());
  const auto replaced = jobs.Add(kKey, "third");
  EXPECT_TRUE(replaced->is_new);
  EXPECT_NE(replaced->job, first);
  EXPECT_EQ(jobs.Find(kKey), replaced->job);
  jobs.Forget(*first);
  EXPECT_EQ(jobs.Find(kKey), replaced->job) << "only the job itself is forgotten";
}

TEST(WatchedJobs, OneThatIsAddedToRunAgainOutlivesItsNextEnd) {
  Jobs jobs("mill");
  Jobs::Job& job = *jobs.Add(kKey, "queued")->job;
  EXPECT_FALSE(jobs.Add(kKey, "", Jobs::IfActive::kRunAgain)->is_new);
  EXPECT_FALSE(jobs.End(job, Cancelled("the first time")));
  EXPECT_EQ(jobs.EndOf(job), std::nullopt);
  EXPECT_TRUE(jobs.End(job, absl::OkStatus()));
  EXPECT_THAT(jobs.AwaitEnd(job), IsOk());
}

TEST(WatchedJobs, AStoppedOneThatIsQueuedEndsAtOnceAndNeverBegins) {
  Jobs jobs("mill");
  Jobs::Job& job = *jobs.Add(kKey, "queued")->job;
  jobs.Stop(job, To("stopped"));
  EXPECT_TRUE(job.stop().stop_requested());
  EXPECT_FALSE(jobs.Begin(job, To("running")));
  EXPECT_THAT(Shown(jobs, job), ElementsAre("stopped"));
  EXPECT_THAT(jobs.AwaitEnd(job), StatusIs(absl::StatusCode::kCancelled, _));
}

TEST(WatchedJobs, StoppingOneThatRunsWaitsForItsEnd) {
  Jobs jobs("mill");
  const Jobs::SharedJob job = jobs.Add(kKey, "queued")->job;
  ASSERT_TRUE(jobs.Begin(*job, To("running")));
  Mutex mutex;
  CondVar wake;
  const std::jthread runner([&] {
    {
      MutexLock lock(mutex);
      wake.wait(mutex, job->stop(), [] { return false; });
    }
    jobs.End(*job, Cancelled("killed"), To("killed"));
  });
  jobs.Stop(*job, To("stopped in the queue"));
  EXPECT_THAT(jobs.EndOf(*job), Optional(StatusIs(absl::StatusCode::kCancelled, "killed")));
  EXPECT_THAT(Shown(jobs, *job), ElementsAre("killed"));
}

TEST(WatchedJobs, ForgetsWhatHasEndedInARange) {
  Jobs jobs("mill");
  for (const int64_t number : {1, 2, 3}) {
    Jobs::Job& job = *jobs.Add({7, number}, "queued")->job;
    if (number != 2) jobs.End(job, absl::OkStatus());
  }
  jobs.End(*jobs.Add({8, 1}, "of another run")->job, absl::OkStatus());
  jobs.ForgetEnded({7, 0}, {7, 3});
  EXPECT_EQ(jobs.Find({7, 1}), nullptr);
  EXPECT_NE(jobs.Find({7, 2}), nullptr) << "it has not ended";
  EXPECT_NE(jobs.Find({7, 3}), nullptr) << "it is not in the range";
  EXPECT_THAT(jobs.List({7, 0}, {8, 0}), SizeIs(2));
}

TEST(WatchedJobs, ShutdownStopsAllAndEndsAllWatches) {
  Jobs jobs("mill");
  const Jobs::SharedJob job = jobs.Add(kKey, "queued")->job;
  const auto shut_down = [&](const std::string&) {
    jobs.Shutdown();
    return true;
  };
  EXPECT_THAT(jobs.Watch(*job, shut_down, Alive),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("the mill is stopping")));
  EXPECT_TRUE(job->stop().stop_requested());
  EXPECT_THAT(jobs.Add({7, 2}, "late"), StatusIs(absl::StatusCode::kUnavailable, _));
  jobs.End(*job, Cancelled("killed"));
  EXPECT_THAT(jobs.AwaitEnd(*job), StatusIs(absl::StatusCode::kUnavailable, _));
}

}  // namespace
}  // namespace tidemill::rpc

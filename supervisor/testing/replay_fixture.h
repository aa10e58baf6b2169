// Replays against services that answer at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/mutex.h"
#include "supervisor/runs/run_feed.h"
#include "supervisor/testing/supervisor_fixture.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor::testing {

// Watches until the stream of the run ends, and returns the kinds of its events.
inline std::vector<std::string> WatchToTheEnd(RunFeed& feed) {
  Mutex mutex;
  CondVar changed;
  bool woken = true;
  const int64_t subscription = feed.Subscribe([&] {
    MutexLock lock(mutex);
    woken = true;
    changed.notify_all();
  });
  std::vector<std::string> types;
  RunFeed::Cursor cursor;
  while (!cursor.finished) {
    if (const auto next = feed.Next(cursor)) {
      if (next->has_event()) types.push_back(next->event().type());
      continue;
    }
    MutexLock lock(mutex);
    changed.wait(mutex, [&] { return woken; });
    woken = false;
  }
  feed.Unsubscribe(subscription);
  return types;
}

class ReplayFixture : public SupervisorFixture {
 protected:
  // A submission of `sound.yaml` that fires after every tenth sample.
  static v1::SubmitPipelineRequest Request(const std::string& request_id) {
    std::string pipeline = *files::Read(kTestdata / "sound.yaml");
    const std::string amount = "samples: 50";
    pipeline.replace(pipeline.find(amount), amount.size(), "samples: 10");
    v1::SubmitPipelineRequest request;
    request.mutable_command()->set_request_id(request_id);
    request.set_pipeline(pipeline);
    request.set_file_name("sound.yaml");
    request.set_base_folder(kTestdata.string());
    return request;
  }

  // Returns the kinds of the run's events, once it has ended.
  std::vector<std::string> Finish(RunId run) {
    const auto feed = supervisor_->conducted_runs().Watch(run);
    EXPECT_THAT(feed, ::tidemill::testing::IsOk());
    return feed.ok() ? WatchToTheEnd(**feed) : std::vector<std::string>();
  }
};

}  // namespace tidemill::supervisor::testing

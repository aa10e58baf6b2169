// Streams a run's feed to one caller.
#pragma once

#include <cstdint>
#include <memory>

#include "grpcpp/grpcpp.h"

#include "base/mutex.h"
#include "supervisor/run_feed.h"

namespace tidemill::supervisor {

// Pulls the next message from the feed whenever the one before is sent and there is one. Holds no
// thread while it waits. Deletes itself when gRPC is done with it.
class RunWatcher final : public grpc::ServerWriteReactor<v1::WatchRunResponse> {
 public:
  RunWatcher(std::shared_ptr<RunFeed> feed, int64_t after_sequence);

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  // What the feed's wakes, which may come late, and the reactor share.
  struct Link {
    Mutex mutex;
    RunWatcher* watcher ABSL_GUARDED_BY(mutex);  // nullptr once it is gone.
    bool writing ABSL_GUARDED_BY(mutex) = false;
    bool cancelled ABSL_GUARDED_BY(mutex) = false;
    bool finished ABSL_GUARDED_BY(mutex) = false;
    RunFeed::Cursor cursor ABSL_GUARDED_BY(mutex);
  };

  // Writes the next message, or ends the stream, or does nothing while one is being written. gRPC
  // is called without the lock, as it may call back at once; `writing` and `finished` keep others
  // from acting meanwhile, and so this object alive.
  static void Step(Link& link, RunFeed& feed);

  const std::shared_ptr<RunFeed> feed_;
  const std::shared_ptr<Link> link_;
  int64_t subscription_ = 0;
  v1::WatchRunResponse response_;
};

// Ends the stream at once with a status.
class FailedWatch final : public grpc::ServerWriteReactor<v1::WatchRunResponse> {
 public:
  explicit FailedWatch(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace tidemill::supervisor

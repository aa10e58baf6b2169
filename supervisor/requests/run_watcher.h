// Streams a run's feed to one caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "grpcpp/grpcpp.h"

#include "base/mutex.h"
#include "base/status.h"
#include "rpc/stream_budget.h"
#include "supervisor/runs/run_feed.h"

namespace tidemill::supervisor {

// Pulls the next message from the feed, if there is one, when the previous one is sent. Holds no
// thread while it waits for the feed or for messages. Deletes itself when gRPC is done with it.
class RunWatcher final : public grpc::ServerWriteReactor<v1::WatchRunResponse> {
 private:
  struct Link;

 public:
  // Gives a watcher its feed. Lives as long as it is needed, which may be longer than the watcher
  // does.
  class Opener {
   public:
    // Returns false when the caller has gone, so that the feed is not needed.
    bool IsWanted() const;
    // Call it once, from any thread. A failure ends the stream.
    void Open(absl::StatusOr<std::shared_ptr<RunFeed>> feed) const;

   private:
    friend class RunWatcher;
    explicit Opener(std::shared_ptr<Link> link) : link_(std::move(link)) {}
    std::shared_ptr<Link> link_;
  };

  RunWatcher(rpc::StreamPermit permit, int64_t after_sequence);

  Opener opener() const { return Opener(link_); }

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  // Shared by the wake-ups of the feed, which may come late, the opener and the reactor. Until the
  // reactor is done, it owns the feed, and through the feed's wake-ups itself.
  struct Link {
    Mutex mutex;
    RunWatcher* watcher ABSL_GUARDED_BY(mutex);  // nullptr once it is gone.
    std::shared_ptr<RunFeed> feed ABSL_GUARDED_BY(mutex);
    int64_t subscription ABSL_GUARDED_BY(mutex) = 0;
    absl::Status failed ABSL_GUARDED_BY(mutex);  // Why there is no feed.
    bool writing ABSL_GUARDED_BY(mutex) = false;
    bool cancelled ABSL_GUARDED_BY(mutex) = false;
    bool finished ABSL_GUARDED_BY(mutex) = false;
    RunFeed::Cursor cursor ABSL_GUARDED_BY(mutex);
  };

  // Writes the next message, ends the stream, or does nothing while a message is being written.
  // gRPC is called without the lock, because it may call back at once. `writing` and `finished`
  // prevent other callers from acting at the same time, and so keep this object alive.
  static void Step(Link& link);

  const rpc::StreamPermit permit_;
  const std::shared_ptr<Link> link_;
  v1::WatchRunResponse response_;
};

// Ends the stream at once with a status.
class FailedWatch final : public grpc::ServerWriteReactor<v1::WatchRunResponse> {
 public:
  explicit FailedWatch(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace tidemill::supervisor

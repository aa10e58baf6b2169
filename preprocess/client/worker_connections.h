// The workers that a consumer takes batches from.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "preprocess/transport/batch_link.h"
#include "rpc/channel.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// Keeps a link to each of the workers that the dispatcher names, or to some of them where there are
// more than wanted, and gives credit. A worker that does not answer is tried again, less and less
// often. Thread-safe.
class WorkerConnections {
 public:
  struct Options {
    // Token and certificates for workers.
    rpc::Peer peer;
    LinkOptions link;
    // Job and lanes.
    v1::ReadBatchesRequest::Open open;
    // Tells this consumer from others: of more workers than it wants it takes others than they do.
    std::string consumer;
    int64_t most = 8;
    // For a consumer of one shard: it connects to one worker, another one than the consumers of
    // other shards of the same name do, as far as there are and `most` allows.
    std::optional<int32_t> shard = std::nullopt;
    // That each worker is given to begin with.
    int64_t credit_bytes = 1;
  };
  // Called on threads of links, without a lock.
  struct Listener {
    std::function<void(int64_t connection, BatchMessage message)> batch;
    // A connection has ended. Not OK: for a reason that is the job's, so that no other worker could
    // do better.
    std::function<void(const absl::Status& failure)> ended;
  };

  WorkerConnections(Options options, Listener listener);
  // Ends them; the listener is not called any more once it returns.
  ~WorkerConnections();

  // Takes over which workers there are: connects to new ones, and leaves those that the dispatcher
  // does not name any more. `wanted`: the batch that the consumer waits for. Returns whether there
  // are new connections. To be called by one thread.
  bool Update(const v1::ReportProgressResponse& answer, int64_t wanted) ABSL_LOCKS_EXCLUDED(mutex_);

  // Fills in `connected` and `broken`.
  void Describe(v1::ReportProgressRequest& report) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The dispatcher has heard of these: they may be tried again.
  void ToldBroken(const v1::ReportProgressRequest& report) ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives a connection's worker the credit for a batch back, some at a time.
  void GiveBack(int64_t connection, int64_t bytes, int64_t wanted) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, later: for the listener, which must not call a link.
  void GiveBackLater(int64_t connection, int64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  // Tells all workers which batch the consumer waits for.
  void Ask(int64_t wanted) ABSL_LOCKS_EXCLUDED(mutex_);

  bool empty() const ABSL_LOCKS_EXCLUDED(mutex_);
  // By name of the worker.
  std::map<std::string, LinkCounters> counters() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;
  using Links = std::vector<std::shared_ptr<BatchLink>>;
  struct Connection {
    v1::Worker worker;
    // Shared with whoever grants without the lock; nullptr until it is opened.
    std::shared_ptr<BatchLink> link = nullptr;
    // Credit to be given back; small batches are not worth a message each.
    int64_t owed = 0;
  };
  struct Retry {
    Clock::time_point at;
    std::chrono::milliseconds pause{0};
  };

  // Those to connect to at all, most wanted first.
  std::vector<v1::Worker> Ranked(const v1::ReportProgressResponse& answer) const;
  // How many more to connect to.
  int64_t RoomFor(const v1::ReportProgressResponse& answer) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<v1::Worker> Choose(const v1::ReportProgressResponse& answer) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Links DropUnknown(const v1::ReportProgressResponse& answer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Connect(const v1::Worker& worker, int64_t wanted) ABSL_LOCKS_EXCLUDED(mutex_);
  void Arrived(int64_t connection, BatchMessage message) ABSL_LOCKS_EXCLUDED(mutex_);
  void Ended(int64_t connection, const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_);

  const Options options_;
  const Listener listener_;
  mutable Mutex mutex_;
  std::map<int64_t, Connection> connections_ ABSL_GUARDED_BY(mutex_);
  int64_t next_connection_ ABSL_GUARDED_BY(mutex_) = 0;
  // Links that have ended and cannot be destroyed by their own call.
  Links ended_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::WorkerIncarnation> broken_ ABSL_GUARDED_BY(mutex_);
  // By id and number of an incarnation whose connections end: when to try again.
  std::map<std::pair<int64_t, int64_t>, Retry> retries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::preprocess

// The connections to the workers from which a consumer takes batches.
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

// Keeps a link to each worker that the dispatcher names, or to some of them when there are more
// than wanted, and gives credit. A worker that does not answer is tried again, at growing
// intervals. Thread-safe.
class WorkerConnections {
 public:
  struct Options {
    // The token and the certificates for workers.
    rpc::Peer peer;
    LinkOptions link;
    // The job and the lanes.
    v1::ReadBatchesRequest::Open open;
    // Distinguishes this consumer from others. When there are more workers than wanted, different
    // consumers connect to different ones.
    std::string consumer;
    int64_t most = 8;
    // For a consumer of one shard. It connects to one worker. Consumers of other shards with the
    // same name connect to other workers, as far as there are enough and `most` allows.
    std::optional<int32_t> shard = std::nullopt;
    // The credit that each worker gets at the beginning.
    int64_t credit_bytes = 1;
  };
  // Called on threads of links, without a lock held.
  struct Listener {
    std::function<void(int64_t connection, BatchMessage message)> batch;
    // A connection has ended. A status other than OK means that the job itself fails, so that every
    // other worker would fail, too.
    std::function<void(const absl::Status& failure)> ended;
  };

  WorkerConnections(Options options, Listener listener);
  // Ends the connections. The listener is not called any more after it returns.
  ~WorkerConnections();
  // Ends all links. Returns when none calls back any more.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);

  // Applies the list of workers: connects to new ones, and leaves those that the dispatcher does
  // not name any more. `wanted` is the batch that the consumer waits for. Returns whether there are
  // new connections. Only one thread may call it.
  bool Update(const v1::ReportProgressResponse& answer, int64_t wanted) ABSL_LOCKS_EXCLUDED(mutex_);

  // Leaves a worker that has sent what was not asked for, and tells the dispatcher why. For the
  // listener.
  void Distrust(int64_t connection, const std::string& reason) ABSL_LOCKS_EXCLUDED(mutex_);

  // Fills in `connected`, `broken` and `distrusted`.
  void Describe(v1::ReportProgressRequest& report) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Records that the dispatcher knows of these connections. The broken ones may be tried again.
  void AcknowledgeReport(const v1::ReportProgressRequest& report) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the credit for a batch to the worker of a connection. Several batches share a message.
  void GiveBack(int64_t connection, int64_t bytes, int64_t wanted) ABSL_LOCKS_EXCLUDED(mutex_);
  // Does the same later, for the listener, which must not call a link.
  void GiveBackLater(int64_t connection, int64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  // Tells all workers which batch the consumer waits for.
  void Ask(int64_t wanted) ABSL_LOCKS_EXCLUDED(mutex_);

  bool empty() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the counters by name of the worker.
  std::map<std::string, LinkCounters> counters() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;
  using Links = std::vector<std::shared_ptr<BatchLink>>;
  struct Connection {
    v1::Worker worker;
    // Shared with calls that grant without the lock. nullptr until it is opened.
    std::shared_ptr<BatchLink> link = nullptr;
    // The credit still to be returned. Small batches are not worth a message each.
    int64_t owed = 0;
  };
  struct Retry {
    Clock::time_point at;
    std::chrono::milliseconds pause{0};
  };

  // Returns the workers that may be connected to, the most wanted first.
  std::vector<v1::Worker> Ranked(const v1::ReportProgressResponse& answer) const;
  // Returns how many more workers to connect to.
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
  // Links that have ended. A link cannot be destroyed during a call to it.
  Links ended_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::WorkerIncarnation> broken_ ABSL_GUARDED_BY(mutex_);
  // The dispatcher no longer names them once it knows that they are broken.
  std::vector<v1::DistrustedWorker> distrusted_ ABSL_GUARDED_BY(mutex_);
  // When to try again, by the worker's id and the number of the incarnation whose connections end.
  std::map<std::pair<int64_t, int64_t>, Retry> retries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::preprocess

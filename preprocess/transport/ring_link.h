// The consumer's end of a link by shared memory. It becomes a link over gRPC when shared memory
// fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/paths/local_socket.h"
#include "base/threads/worker_pool.h"
#include "preprocess/ring/ring_packets.h"
#include "preprocess/transport/batch_link.h"
#include "preprocess/transport/ring_reader.h"

namespace tidemill::preprocess {

// Calls the handler on its own thread, unless the batches come as frames.
class RingLink final : public BatchLink {
 public:
  // `peer` has the worker's endpoint, for frames. `ring_socket` is empty when the worker offers no
  // ring; this counts as a failed ring. `open` is complete.
  RingLink(const rpc::Peer& peer, std::string ring_socket, const v1::ReadBatchesRequest::Open& open,
           const LinkOptions& options, LinkHandler handler);
  ~RingLink() override;

  void Grant(int64_t bytes, std::span<const int64_t> wanted) override ABSL_LOCKS_EXCLUDED(mutex_);
  LinkCounters counters() const override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Gets a ring. `may_use_frames` is set when only the ring has failed.
  absl::Status Connect(bool& may_use_frames);
  absl::StatusOr<Packet> AwaitPacket();
  void Run();
  // Delivers messages until the link is over. Returns the reason.
  absl::Status Serve();
  absl::Status DeliverBatches();
  void FallBack(const absl::Status& why);
  // Makes the current ring or frames available to Grant().
  void Publish(std::shared_ptr<RingReader> reader, std::shared_ptr<BatchLink> frames)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const rpc::Peer peer_;
  const std::string ring_socket_;
  const v1::ReadBatchesRequest::Open open_;
  const LinkOptions options_;
  const LinkHandler handler_;
  LocalSocket socket_;                     // Belongs to the thread.
  std::shared_ptr<RingReader> connected_;  // Belongs to the thread.
  std::atomic<bool> is_closing_ = false;
  mutable Mutex mutex_;
  std::shared_ptr<RingReader> reader_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<BatchLink> frames_ ABSL_GUARDED_BY(mutex_);
  // Whether credit was granted before either of them existed.
  bool has_grant_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t credit_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<int64_t> wanted_ ABSL_GUARDED_BY(mutex_);
  LinkCounters counters_ ABSL_GUARDED_BY(mutex_) = {.transport = "ring"};
  std::unique_ptr<WorkerPool> thread_;
};

}  // namespace tidemill::preprocess

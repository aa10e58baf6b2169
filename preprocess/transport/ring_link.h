// The consumer's end of a link by shared memory, which becomes one over gRPC where that fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/local_socket.h"
#include "base/mutex.h"
#include "base/threads/worker_pool.h"
#include "preprocess/transport/batch_link.h"
#include "preprocess/transport/ring_packets.h"
#include "preprocess/transport/ring_reader.h"

namespace tidemill::preprocess {

// Has a thread of its own, on which the handler is called unless the batches come as frames.
class RingLink final : public BatchLink {
 public:
  // `peer`: with the worker's endpoint, for frames; `ring_socket`: empty when the worker offers no
  // ring, which then counts as one that failed; `open`: whole.
  RingLink(const rpc::Peer& peer, std::string ring_socket, const v1::ReadBatchesRequest::Open& open,
           int64_t ring_bytes, LinkHandler handler);
  ~RingLink() override;

  void Grant(int64_t bytes, std::span<const int64_t> wanted) override ABSL_LOCKS_EXCLUDED(mutex_);
  LinkCounters counters() const override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Gets a ring. `may_use_frames`: whether the failure is the ring's alone.
  absl::Status Connect(bool& may_use_frames);
  absl::StatusOr<Packet> AwaitPacket();
  void Run();
  // Hands on what is there until the link is over; returns why.
  absl::Status Serve();
  absl::Status HandOn();
  void FallBack(const absl::Status& why);
  // Lets Grant() reach the ring or the frames that there are now.
  void Publish(std::shared_ptr<RingReader> reader, std::shared_ptr<BatchLink> frames)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const rpc::Peer peer_;
  const std::string ring_socket_;
  const v1::ReadBatchesRequest::Open open_;
  const int64_t ring_bytes_;
  const LinkHandler handler_;
  LocalSocket socket_;                     // Of the thread.
  std::shared_ptr<RingReader> connected_;  // Of the thread.
  std::atomic<bool> is_closing_ = false;
  mutable Mutex mutex_;
  std::shared_ptr<RingReader> reader_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<BatchLink> frames_ ABSL_GUARDED_BY(mutex_);
  // Granted while there was neither.
  bool has_grant_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t credit_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<int64_t> wanted_ ABSL_GUARDED_BY(mutex_);
  LinkCounters counters_ ABSL_GUARDED_BY(mutex_) = {.transport = "ring"};
  std::unique_ptr<WorkerPool> thread_;
};

}  // namespace tidemill::preprocess

// The receiving end of a stream of frames.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "grpcpp/grpcpp.h"
#include "grpcpp/support/client_callback.h"

#include "base/mutex.h"
#include "base/status.h"
#include "rpc/channel.h"

namespace tidemill::rpc {

// Limits the bytes that wait between the network and their readers, over all streams of a client.
// Thread-safe.
class ByteCredits {
 public:
  explicit ByteCredits(int64_t budget) : budget_(budget) {}

  bool HasRoom() const { return used_.load(std::memory_order_relaxed) < budget_; }
  void Take(int64_t num_bytes) { used_.fetch_add(num_bytes, std::memory_order_relaxed); }
  void GiveBack(int64_t num_bytes) { used_.fetch_sub(num_bytes, std::memory_order_relaxed); }

 private:
  const int64_t budget_;
  std::atomic<int64_t> used_ = 0;
};

// One call of a method that streams its answer. gRPC's threads receive messages ahead of the
// reader: one before the first Next(), and then as many as the credits allow, at least one. The
// rest stays with the server, because gRPC requests no more than was read. Next() belongs to one
// thread.
class FrameReader final : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // Starts the call. `method` is its path. `credits` must outlive this object. A stop of
  // `peer.stop` ends the stream with CANCELLED.
  FrameReader(const Peer& peer, const std::shared_ptr<grpc::Channel>& channel,
              const std::string& method, const grpc::ByteBuffer& request, ByteCredits& credits);
  // Cancels a call that has not ended, and waits until gRPC has finished with it.
  ~FrameReader() override;
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // Waits for the next message. Returns std::nullopt at the end of a stream that ended well.
  // Returns the status of a stream that failed, after all messages.
  absl::StatusOr<std::optional<grpc::ByteBuffer>> Next() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void OnReadDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnDone(const grpc::Status& status) override ABSL_LOCKS_EXCLUDED(mutex_);
  // Starts to read the next message if the condition, which is evaluated under the lock, is true
  // and nothing else prevents it.
  template <typename Condition>
  void ReadIf(const Condition& condition) ABSL_LOCKS_EXCLUDED(mutex_);
  bool MayReadAhead() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ByteCredits& credits_;
  const grpc::ByteBuffer request_;
  grpc::ClientContext context_;
  grpc::ByteBuffer incoming_;  // gRPC uses it while `reading_`.
  Mutex mutex_;
  CondVar changed_;
  std::deque<grpc::ByteBuffer> received_ ABSL_GUARDED_BY(mutex_);
  bool reading_ ABSL_GUARDED_BY(mutex_) = true;
  bool is_wanted_ ABSL_GUARDED_BY(mutex_) = false;   // Next() was called.
  bool is_drained_ ABSL_GUARDED_BY(mutex_) = false;  // There is nothing more to read.
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);  // gRPC is done.
  std::optional<std::stop_callback<std::function<void()>>> stop_;
};

}  // namespace tidemill::rpc

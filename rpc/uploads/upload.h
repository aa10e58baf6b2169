// The receiving end of a stream that uploads a file.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "grpcpp/grpcpp.h"

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "rpc/grpc_status.h"
#include "rpc/stream_budget.h"

namespace tidemill::rpc {

// The limits of an upload.
struct UploadLimits {
  // The most bytes of one message.
  int64_t message_bytes = int64_t{4} << 20;
  // The time that an upload may take, and the number of bytes that extend it by a second.
  std::chrono::milliseconds time{30'000};
  int64_t bytes_per_second = int64_t{64} << 10;
};

// Receives the messages of one caller and gives them to a task of a pool. Until the task runs, only
// the bytes that HTTP/2's flow control admits are in memory. A message is received when the task
// asks for it. Uploads that are too slow end with DEADLINE_EXCEEDED, so that they release their
// threads. gRPC owns the object.
template <typename Request>
class Upload final : public grpc::ServerReadReactor<Request> {
 public:
  // Returns the next message; std::nullopt at the end. CANCELLED when the caller has gone.
  // DEADLINE_EXCEEDED, INVALID_ARGUMENT and RESOURCE_EXHAUSTED when a limit is exceeded.
  using Next = std::function<absl::StatusOr<std::optional<Request>>()>;
  // Its status becomes the status of the call.
  using Body = std::function<absl::Status(const Next& next)>;

  // The pool must outlive the server.
  Upload(StreamPermit permit, WorkerPool& pool, const UploadLimits& limits, Body body)
      : permit_(std::move(permit)), limits_(limits) {
    pool.Submit([this, body = std::move(body)] {
      begin_ = Clock::now();
      // The last step: gRPC may delete this object from here on.
      this->Finish(ToGrpc(body([this] { return Receive(); })));
    });
  }

  void OnReadDone(bool ok) override {
    MutexLock lock(mutex_);
    read_ = ok;
    changed_.notify_all();
  }
  void OnCancel() override {
    MutexLock lock(mutex_);
    cancelled_ = true;
    changed_.notify_all();
  }
  void OnDone() override { delete this; }

 private:
  using Clock = std::chrono::steady_clock;
  // The received message, its decoded form, and the copy that is passed on.
  static constexpr int64_t kCopies = 3;

  absl::StatusOr<std::optional<Request>> Receive() ABSL_LOCKS_EXCLUDED(mutex_) {
    {
      MutexLock lock(mutex_);
      if (cancelled_) return Cancelled("the caller went away");
      read_.reset();
    }
    this->StartRead(&message_);
    ASSIGN_OR_RETURN(const bool has_message, AwaitMessage());
    if (!has_message) return std::optional<Request>();
    const auto num_bytes = static_cast<int64_t>(message_.ByteSizeLong());
    num_bytes_ += num_bytes;
    if (num_bytes > limits_.message_bytes) {
      return InvalidArgument("a message has {} bytes; send pieces of at most {}", num_bytes,
                             limits_.message_bytes);
    }
    RETURN_IF_ERROR(permit_.Hold(num_bytes * kCopies));
    return std::optional<Request>(std::move(message_));
  }

  absl::StatusOr<bool> AwaitMessage() ABSL_LOCKS_EXCLUDED(mutex_) {
    const auto deadline = begin_ + limits_.time +
                          std::chrono::milliseconds(num_bytes_ * 1000 / limits_.bytes_per_second);
    MutexLock lock(mutex_);
    while (!read_.has_value() && !cancelled_) {
      if (changed_.wait_until(mutex_, deadline) == std::cv_status::no_timeout) continue;
      if (read_.has_value() || cancelled_) break;
      return absl::DeadlineExceededError(fmt::format(
          "{} bytes came in {:.0f} s; an upload may take {} s, and a second more for each {} bytes",
          num_bytes_, std::chrono::duration<double>(Clock::now() - begin_).count(),
          std::chrono::duration_cast<std::chrono::seconds>(limits_.time).count(),
          limits_.bytes_per_second));
    }
    if (cancelled_) return Cancelled("the caller went away");
    return *read_;
  }

  StreamPermit permit_;
  const UploadLimits limits_;
  Clock::time_point begin_;  // The beginning of the task.
  int64_t num_bytes_ = 0;
  Request message_;  // Owned by gRPC from StartRead() to OnReadDone(), then by the task.
  Mutex mutex_;
  CondVar changed_;
  std::optional<bool> read_
      ABSL_GUARDED_BY(mutex_);  // Whether the last read succeeded, once it has ended.
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

// Ends at once.
template <typename Request>
class RefusedUpload final : public grpc::ServerReadReactor<Request> {
 public:
  explicit RefusedUpload(const grpc::Status& status) { this->Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace tidemill::rpc

#include "rpc/streams/frame_reader.h"

#include <utility>

#include "grpcpp/generic/generic_stub.h"

#include "rpc/grpc_status.h"

namespace tidemill::rpc {

FrameReader::FrameReader(const Peer& peer, const std::shared_ptr<grpc::Channel>& channel,
                         const std::string& method, const grpc::ByteBuffer& request,
                         ByteCredits& credits)
    : credits_(credits), request_(request) {
  Prepare(peer, std::chrono::milliseconds{0}, context_);
  // On the wire a stream of one request is a stream with one answer to many; the generic stub has
  // only the form for both.
  grpc::GenericStub(channel).PrepareBidiStreamingCall(&context_, method, {}, this);
  AddHold();  // For reads that Next() starts.
  StartRead(&incoming_);
  StartWriteLast(&request_, grpc::WriteOptions());
  StartCall();
  stop_.emplace(peer.stop, [this] { context_.TryCancel(); });
}

FrameReader::~FrameReader() {
  stop_.reset();
  bool is_held = false;
  {
    MutexLock lock(mutex_);
    closing_ = true;
    is_held = !reading_ && !is_drained_;
    is_drained_ = is_drained_ || is_held;
  }
  context_.TryCancel();
  if (is_held) RemoveHold();
  MutexLock lock(mutex_);
  while (!end_.has_value()) changed_.wait(mutex_);
  for (const grpc::ByteBuffer& message : received_) {
    credits_.GiveBack(static_cast<int64_t>(message.Length()));
  }
}

bool FrameReader::MayReadAhead() const {
  return !closing_ && is_wanted_ && (received_.empty() || credits_.HasRoom());
}

// gRPC is called without the lock, since it may call back.
template <typename Condition>
void FrameReader::ReadIf(const Condition& condition) {
  {
    MutexLock lock(mutex_);
    if (!condition() || reading_ || is_drained_) return;
    reading_ = true;
  }
  StartRead(&incoming_);
}

void FrameReader::OnReadDone(bool ok) {
  bool read = false;
  bool is_last = false;
  {
    MutexLock lock(mutex_);
    if (ok) {
      credits_.Take(static_cast<int64_t>(incoming_.Length()));
      received_.emplace_back();
      received_.back().Swap(&incoming_);
    }
    read = reading_ = ok && MayReadAhead();
    is_last = is_drained_ = !ok || closing_;
    changed_.notify_all();
  }
  if (read) StartRead(&incoming_);
  if (is_last) RemoveHold();
}

void FrameReader::OnDone(const grpc::Status& status) {
  MutexLock lock(mutex_);
  end_ = FromGrpc(status);
  changed_.notify_all();
}

absl::StatusOr<std::optional<grpc::ByteBuffer>> FrameReader::Next() {
  ReadIf([this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    is_wanted_ = true;
    return received_.empty();
  });
  grpc::ByteBuffer message;
  {
    MutexLock lock(mutex_);
    while (received_.empty() && !end_.has_value()) changed_.wait(mutex_);
    if (received_.empty()) {
      RETURN_IF_ERROR(*end_);
      return std::optional<grpc::ByteBuffer>();
    }
    message.Swap(&received_.front());
    received_.pop_front();
    credits_.GiveBack(static_cast<int64_t>(message.Length()));
  }
  ReadIf([this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return MayReadAhead(); });
  return std::optional<grpc::ByteBuffer>(std::move(message));
}

}  // namespace tidemill::rpc

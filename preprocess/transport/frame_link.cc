#include "preprocess/transport/frame_link.h"

#include <utility>

#include "grpcpp/generic/generic_stub.h"

#include "rpc/grpc_status.h"
#include "rpc/streams/byte_frames.h"

namespace tidemill::preprocess {

namespace {

constexpr char kMethod[] = "/tidemill.preprocess.v1.WorkerService/ReadBatches";

}  // namespace

FrameLink::FrameLink(const rpc::Peer& peer, const v1::ReadBatchesRequest::Open& open,
                     LinkHandler handler)
    : handler_(std::move(handler)), stop_(peer.stop) {
  rpc::Prepare(peer, std::chrono::milliseconds{0}, context_);
  v1::ReadBatchesRequest request;
  *request.mutable_open() = open;
  outgoing_ = rpc::ToBytes(request);
  grpc::GenericStub(rpc::Connect(peer)).PrepareBidiStreamingCall(&context_, kMethod, {}, this);
  AddHold();  // For writes that Grant() starts.
  StartRead(&incoming_);
  StartWrite(&outgoing_);
  StartCall();
  on_stop_.emplace(peer.stop, [this] { context_.TryCancel(); });
}

FrameLink::~FrameLink() {
  on_stop_.reset();
  {
    MutexLock lock(mutex_);
    closing_ = true;
  }
  context_.TryCancel();
  MutexLock lock(mutex_);
  while (!is_done_) changed_.wait(mutex_);
}

void FrameLink::Grant(int64_t bytes, std::span<const int64_t> wanted) {
  {
    MutexLock lock(mutex_);
    credit_ += bytes;
    if (!wanted.empty()) wanted_.assign(wanted.begin(), wanted.end());
    has_grant_ = true;
  }
  Flush();
}

LinkCounters FrameLink::counters() const {
  MutexLock lock(mutex_);
  return counters_;
}

// The hold is given up only once nothing is written and nothing will be.
void FrameLink::Flush() {
  v1::ReadBatchesRequest request;
  {
    MutexLock lock(mutex_);
    if (writing_ || is_drained_ || !has_grant_) return;
    request.set_credit_bytes(std::exchange(credit_, 0));
    request.mutable_wanted()->Assign(wanted_.begin(), wanted_.end());
    has_grant_ = false;
    writing_ = true;
  }
  outgoing_ = rpc::ToBytes(request);
  StartWrite(&outgoing_);
}

void FrameLink::OnWriteDone(bool /*ok*/) {
  bool is_last = false;
  {
    MutexLock lock(mutex_);
    writing_ = false;
    is_last = is_drained_;
  }
  // A write that fails means that the stream is over, which a read finds out as well.
  if (is_last) return RemoveHold();
  Flush();
}

void FrameLink::Count(const DecodedFrame& frame) {
  ++counters_.num_batches;
  counters_.num_bytes += frame.num_bytes;
  counters_.num_wire_bytes += frame.num_wire_bytes;
  if (frame.num_bytes == 0) return;
  counters_.compression = frame.compression;
  if (frame.compression != v1::COMPRESSION_UNSPECIFIED) ++counters_.num_compressed;
}

bool FrameLink::Deliver() {
  absl::StatusOr<std::optional<DecodedFrame>> decoded = decoder_.Decode(incoming_);
  incoming_.Clear();
  {
    MutexLock lock(mutex_);
    if (closing_) return false;
    if (!decoded.ok()) {
      failure_ = decoded.status();
      return false;
    }
    if (!decoded->has_value()) return true;
    Count(**decoded);
  }
  handler_.batch(std::move((*decoded)->message));
  return true;
}

void FrameLink::OnReadDone(bool ok) {
  if (ok && Deliver()) return StartRead(&incoming_);
  if (ok) context_.TryCancel();
  bool is_last = false;
  {
    MutexLock lock(mutex_);
    is_drained_ = true;
    is_last = !writing_;
  }
  if (is_last) RemoveHold();
}

absl::Status FrameLink::EndOf(const grpc::Status& status) {
  if (!failure_.ok()) return failure_;
  absl::Status end = FromGrpc(status);
  // This end has not cancelled the call, so the worker's server has.
  if (absl::IsCancelled(end) && !stop_.stop_requested()) return Unavailable("the worker stops");
  return end;
}

void FrameLink::OnDone(const grpc::Status& status) {
  absl::Status end;
  bool is_told = false;
  {
    MutexLock lock(mutex_);
    is_told = !closing_;
    end = EndOf(status);
  }
  if (is_told) handler_.ended(end);
  MutexLock lock(mutex_);
  is_done_ = true;
  changed_.notify_all();
}

}  // namespace tidemill::preprocess

#include "preprocess/transport/ring_link.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/logs/log.h"
#include "base/metrics.h"
#include "preprocess/ring/ring_packets.h"
#include "preprocess/transport/frame_link.h"

namespace tidemill::preprocess {

namespace {

using Clock = std::chrono::steady_clock;

// For the worker's answer, which may wait for its dispatcher.
constexpr std::chrono::seconds kAnswerTime{60};

void CountFallback() {
  static metrics::Counter& fallbacks = metrics::Process().AddCounter(
      {"preprocess_transport_fallback", "links",
       "Links to workers on this host that use gRPC because shared memory failed."});
  fallbacks.Add();
}

}  // namespace

RingLink::RingLink(const rpc::Peer& peer, std::string ring_socket,
                   const v1::ReadBatchesRequest::Open& open, const LinkOptions& options,
                   LinkHandler handler)
    : peer_(peer),
      ring_socket_(std::move(ring_socket)),
      open_(open),
      options_(options),
      handler_(std::move(handler)),
      thread_(std::make_unique<WorkerPool>("preprocess.link", 1)) {
  thread_->Submit([this] { Run(); });
}

RingLink::~RingLink() {
  is_closing_ = true;
  {
    MutexLock lock(mutex_);
    if (reader_ != nullptr) reader_->Wake();
  }
  thread_.reset();
  // The handler may call Grant() until the frames have ended, and must not find them while they are
  // destroyed.
  std::shared_ptr<BatchLink> frames;
  {
    MutexLock lock(mutex_);
    frames.swap(frames_);
  }
}

void RingLink::Grant(int64_t bytes, std::span<const int64_t> wanted) {
  std::shared_ptr<RingReader> reader;
  std::shared_ptr<BatchLink> frames;
  {
    MutexLock lock(mutex_);
    reader = reader_;
    frames = frames_;
    if (reader == nullptr && frames == nullptr) {
      has_grant_ = true;
      credit_ += bytes;
      if (!wanted.empty()) wanted_.assign(wanted.begin(), wanted.end());
    }
  }
  if (reader != nullptr) return reader->Grant(bytes, wanted);
  if (frames != nullptr) return frames->Grant(bytes, wanted);
}

LinkCounters RingLink::counters() const {
  std::shared_ptr<BatchLink> frames;
  LinkCounters counters;
  {
    MutexLock lock(mutex_);
    counters = counters_;
    frames = frames_;
  }
  if (frames == nullptr) return counters;
  const bool fallback = counters.fallback;
  counters = frames->counters();
  counters.fallback = fallback;
  return counters;
}

// Earlier grants go first: earlier wishes must not follow later ones.
void RingLink::Publish(std::shared_ptr<RingReader> reader, std::shared_ptr<BatchLink> frames) {
  while (true) {
    int64_t credit = 0;
    std::vector<int64_t> wanted;
    {
      MutexLock lock(mutex_);
      if (!has_grant_) {
        reader_ = std::move(reader);
        frames_ = std::move(frames);
        return;
      }
      has_grant_ = false;
      credit = std::exchange(credit_, 0);
      wanted = wanted_;
    }
    if (reader != nullptr) reader->Grant(credit, wanted);
    if (frames != nullptr) frames->Grant(credit, wanted);
  }
}

absl::StatusOr<Packet> RingLink::AwaitPacket() {
  const Clock::time_point give_up = Clock::now() + kAnswerTime;
  while (Clock::now() < give_up) {
    if (is_closing_ || peer_.stop.stop_requested()) return Cancelled("the consumer stops");
    socket_.Await(kLook);
    ASSIGN_OR_RETURN(std::optional<Packet> packet, ReceivePacket(socket_));
    if (packet.has_value()) return *std::move(packet);
  }
  return Unavailable("the worker does not answer");
}

absl::Status RingLink::Connect(bool& may_use_frames) {
  may_use_frames = true;
  if (ring_socket_.empty()) return Unavailable("the worker has no socket for rings");
  ASSIGN_OR_RETURN(socket_, LocalSocket::Connect(ring_socket_, kRingSocketKind));
  if (socket_.PeerUid() != geteuid()) {
    return PermissionDenied("{} belongs to another user", ring_socket_);
  }
  ASSIGN_OR_RETURN(const std::string request, Encode(RingRequest{.token = peer_.token.Now(),
                                                                 .ring_bytes = options_.ring_bytes,
                                                                 .open = open_}));
  RETURN_IF_ERROR(SendPacket(socket_, request));
  ASSIGN_OR_RETURN(Packet packet, AwaitPacket());
  ASSIGN_OR_RETURN(const RingAnswer answer, DecodeRingAnswer(packet.bytes));
  may_use_frames = answer.may_use_frames;
  RETURN_IF_ERROR(answer.status);
  may_use_frames = true;
  ASSIGN_OR_RETURN(connected_, RingReader::Open(std::move(packet.descriptor),
                                                static_cast<size_t>(open_.lanes_size()),
                                                options_.rows_are_writable));
  return absl::OkStatus();
}

void RingLink::Run() {
  bool may_use_frames = false;
  absl::Status status = Connect(may_use_frames);
  if (is_closing_) return;
  if (!status.ok() && may_use_frames && !absl::IsCancelled(status)) return FallBack(status);
  if (status.ok()) {
    Publish(connected_, nullptr);
    status = Serve();
  }
  socket_ = LocalSocket();
  if (connected_ != nullptr) connected_->Leave();
  if (!is_closing_) handler_.ended(status);
}

absl::Status RingLink::DeliverBatches() {
  while (!is_closing_) {
    ASSIGN_OR_RETURN(std::optional<RingReader::Popped> popped, connected_->Pop());
    if (!popped.has_value()) return absl::OkStatus();
    {
      MutexLock lock(mutex_);
      ++counters_.num_batches;
      counters_.num_bytes += popped->num_bytes;
      counters_.num_wire_bytes += popped->num_bytes;
    }
    handler_.batch(std::move(popped->message));
  }
  return absl::OkStatus();
}

absl::Status RingLink::Serve() {
  std::optional<absl::Status> end;
  while (true) {
    const uint32_t seen = connected_->seen();
    RETURN_IF_ERROR(DeliverBatches());
    if (end.has_value()) return *end;
    if (is_closing_ || peer_.stop.stop_requested()) return Cancelled("the consumer stops");
    absl::StatusOr<std::optional<Packet>> packet = ReceivePacket(socket_);
    if (!packet.ok()) {
      // The messages that it had sent are still in the ring.
      end = Unavailable("the worker is gone: {}", packet.status().ToString());
    } else if (packet->has_value()) {
      ASSIGN_OR_RETURN(const RingAnswer answer, DecodeRingAnswer((*packet)->bytes));
      end = answer.status;
    } else {
      connected_->Await(seen, kLook);
    }
  }
}

void RingLink::FallBack(const absl::Status& why) {
  log::Warn("batches come over grpc",
            {{"worker", peer_.endpoint}, {"ring", ring_socket_}, {"error", why.ToString()}});
  CountFallback();
  {
    MutexLock lock(mutex_);
    counters_.fallback = true;
    // Batches may come before the link is published.
    counters_.transport = "frames";
  }
  socket_ = LocalSocket();
  Publish(nullptr, std::make_shared<FrameLink>(peer_, open_, handler_));
}

}  // namespace tidemill::preprocess

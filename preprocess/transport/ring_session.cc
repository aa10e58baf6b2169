#include "preprocess/transport/ring_session.h"

#include <utility>

#include "base/logs/log.h"
#include "rpc/authentication.h"

namespace tidemill::preprocess {

namespace {

constexpr char kRingMethod[] = "/tidemill.preprocess.v1.WorkerService/ReadBatches";
constexpr std::chrono::seconds kRequestTime{5};

}  // namespace

RingSession::RingSession(LocalSocket socket, const rpc::Tokens& tokens, OutboxProvider& provider)
    : socket_(std::move(socket)),
      tokens_(tokens),
      provider_(provider),
      thread_("preprocess.ring", 1) {
  thread_.Submit([this] {
    Run();
    is_over_ = true;
  });
}

RingSession::~RingSession() {
  is_stopping_ = true;
  MutexLock lock(mutex_);
  if (const auto writer = to_wake_.lock()) writer->Wake();
}

absl::StatusOr<RingRequest> RingSession::AwaitRequest() {
  const Clock::time_point give_up = Clock::now() + kRequestTime;
  while (!is_stopping_ && Clock::now() < give_up) {
    socket_.Await(kLook);
    ASSIGN_OR_RETURN(const std::optional<Packet> packet, ReceivePacket(socket_));
    if (packet.has_value()) return DecodeRingRequest(packet->bytes);
  }
  return Unavailable("the consumer sends no requests");
}

RingAnswer RingSession::Admit() {
  const auto request = AwaitRequest();
  if (!request.ok()) return {.status = request.status(), .may_use_frames = true};
  const auto scope = rpc::CheckToken(tokens_, request->token, kRingMethod);
  if (!scope.ok()) return {.status = scope.status()};
  provider_.Expect(request->open);
  auto writer =
      RingWriter::Create(request->ring_bytes, static_cast<size_t>(request->open.lanes_size()));
  if (!writer.ok()) return {.status = writer.status(), .may_use_frames = true};
  writer_ = *std::move(writer);
  auto outbox = provider_.Open(request->open, *scope);
  if (!outbox.ok()) return {.status = outbox.status()};
  outbox_ = *std::move(outbox);
  return {};
}

void RingSession::Run() {
  const RingAnswer answer = Admit();
  const int descriptor = answer.status.ok() ? writer_->descriptor() : -1;
  const absl::Status sent = SendPacket(socket_, Encode(answer), descriptor);
  if (!answer.status.ok()) {
    log::Debug("ring refused", {{"error", answer.status.ToString()}});
    return;
  }
  {
    MutexLock lock(mutex_);
    to_wake_ = writer_;
  }
  absl::Status end = sent;
  if (sent.ok()) {
    outbox_->Listen([writer = writer_] { writer->Wake(); });
    end = Serve();
    outbox_->Listen(nullptr);
  }
  outbox_->Close(end.ok() ? Unavailable("the link is over") : end);
  held_.clear();
  SendPacket(socket_, Encode(RingAnswer{.status = end})).IgnoreError();
  writer_->WakeReader();
  // Returning the memory of a ring takes milliseconds, for which no new consumer should wait.
  writer_.reset();
}

absl::Status RingSession::Serve() {
  while (true) {
    const uint32_t seen = writer_->seen();
    if (is_stopping_) return Unavailable("the worker stops");
    if (!HasConsumer()) return Unavailable("the consumer is gone");
    RETURN_IF_ERROR(writer_->TakeBack());
    ASSIGN_OR_RETURN(const auto grant, writer_->TakeGrant());
    if (grant.has_value()) outbox_->Grant(grant->bytes, grant->wanted);
    const std::optional<absl::Status> closed = outbox_->closed();
    if (closed.has_value() && (!closed->ok() || held_.empty())) return *closed;
    RETURN_IF_ERROR(Send());
    writer_->Await(seen, !held_.empty(), kLook);
  }
}

bool RingSession::HasConsumer() {
  if (writer_->has_left()) return false;
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return true;
  next_look_ = now + kLook;
  // The peer sends nothing more, so anything that arrives means that it has ended.
  const auto packet = ReceivePacket(socket_);
  return packet.ok() && !packet->has_value();
}

absl::StatusOr<bool> RingSession::SendOne(const BatchMessage& message) {
  const int64_t in_use = writer_->num_taken();
  const bool is_wanted = outbox_->IsWanted(message);
  // One that is larger than the whole ring goes alone.
  const bool may_grow = is_wanted || in_use == 0;
  return writer_->Send(message, may_grow ? RingGrowth::kWhereNeeded : RingGrowth::kNever);
}

absl::Status RingSession::SendHeld() {
  bool is_blocked = false;
  for (auto i = held_.begin(); i != held_.end();) {
    // They keep their order, except for those that are waited for.
    bool is_sent = false;
    if (!is_blocked || outbox_->IsWanted(*i)) {
      ASSIGN_OR_RETURN(is_sent, SendOne(*i));
    }
    is_blocked = is_blocked || !is_sent;
    i = is_sent ? held_.erase(i) : std::next(i);
  }
  return absl::OkStatus();
}

absl::Status RingSession::Send() {
  RETURN_IF_ERROR(SendHeld());
  while (true) {
    std::optional<BatchMessage> message = held_.empty() ? outbox_->Take() : outbox_->TakeWanted();
    if (!message.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const bool is_sent, SendOne(*message));
    if (!is_sent) held_.push_back(*std::move(message));
  }
}

}  // namespace tidemill::preprocess

#include "preprocess/transport/ring_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "preprocess/ring/ring_packets.h"
#include "preprocess/transport/ring_session.h"

namespace tidemill::preprocess {

namespace {

constexpr int kSweepMillis = 500;

}  // namespace

absl::StatusOr<std::unique_ptr<RingServer>> RingServer::Start(const std::string& path,
                                                              const rpc::Tokens& tokens,
                                                              OutboxProvider& provider) {
  ASSIGN_OR_RETURN(LocalSocket listening, LocalSocket::Listen(path, kRingSocketKind));
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open()) return Unavailable("cannot make an eventfd: {}", std::strerror(errno));
  return std::unique_ptr<RingServer>(
      new RingServer(path, tokens, provider, std::move(listening), std::move(wake)));
}

RingServer::RingServer(std::string path, rpc::Tokens tokens, OutboxProvider& provider,
                       LocalSocket listening, Descriptor wake)
    : path_(std::move(path)),
      tokens_(std::move(tokens)),
      provider_(provider),
      listening_(std::move(listening)),
      wake_(std::move(wake)),
      thread_("preprocess.rings", 1) {
  thread_.Submit([this] { Loop(); });
}

RingServer::~RingServer() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.number(), &one, sizeof(one));
  unlink(path_.c_str());
}

void RingServer::Loop() {
  std::vector<std::unique_ptr<RingSession>> sessions;
  while (true) {
    pollfd events[] = {{.fd = wake_.number(), .events = POLLIN, .revents = 0},
                       {.fd = listening_.number(), .events = POLLIN, .revents = 0}};
    poll(events, 2, kSweepMillis);
    if (events[0].revents != 0) return;
    std::erase_if(sessions, [](const auto& session) { return session->is_over(); });
    std::optional<LocalSocket> socket = listening_.Accept();
    if (!socket.has_value()) continue;
    if (socket->PeerUid() != geteuid()) {
      log::Warn("ring refused", {{"uid", std::to_string(socket->PeerUid())}});
    } else if (sessions.size() >= kMaxSessions) {
      const RingAnswer refusal{.status = ResourceExhausted("{} rings", kMaxSessions),
                               .may_use_frames = true};
      SendPacket(*socket, Encode(refusal)).IgnoreError();
    } else {
      sessions.push_back(std::make_unique<RingSession>(*std::move(socket), tokens_, provider_));
    }
  }
}

}  // namespace tidemill::preprocess

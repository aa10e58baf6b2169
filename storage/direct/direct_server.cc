#include "storage/direct/direct_server.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/logs/log.h"

namespace tidemill::storage {

namespace {

constexpr int kSweepMillis = 1000;

// One thread's connections.
class Loop {
 public:
  Loop(const DirectSource& source, const LocalSocket& listening, int wake)
      : source_(source), listening_(listening), wake_(wake), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    Watch(EPOLL_CTL_ADD, listening_.number(), EPOLLIN | EPOLLEXCLUSIVE);
    Watch(EPOLL_CTL_ADD, wake_, EPOLLIN);
  }

  // Until it is woken to end.
  void Run() {
    std::array<epoll_event, 32> events;
    DirectSession::Clock::time_point next_sweep = DirectSession::Clock::now();
    while (true) {
      const int count =
          epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), kSweepMillis);
      if (count < 0 && errno != EINTR) return;
      for (int i = 0; i < count; ++i) {
        const int descriptor = events[static_cast<size_t>(i)].data.fd;
        if (descriptor == wake_) return;
        if (descriptor == listening_.number()) {
          Accept();
        } else {
          Step(descriptor);
        }
      }
      const DirectSession::Clock::time_point now = DirectSession::Clock::now();
      if (now < next_sweep) continue;
      next_sweep = now + std::chrono::milliseconds(kSweepMillis);
      std::erase_if(sessions_, [&](const auto& entry) { return entry.second->IsStale(now); });
    }
  }

 private:
  void Watch(int operation, int descriptor, uint32_t events) const {
    epoll_event event = {.events = events, .data = {.fd = descriptor}};
    epoll_ctl(epoll_.number(), operation, descriptor, &event);
  }

  void Accept() {
    std::optional<LocalSocket> socket = listening_.Accept();
    if (!socket.has_value()) return;
    if (socket->PeerUid() != geteuid()) {
      log::Warn("direct reads refused", {{"uid", std::to_string(socket->PeerUid())}});
      return;
    }
    if (sessions_.size() >= DirectServer::kMaxSessions / DirectServer::kNumThreads) {
      const auto oldest =
          std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
            return a.second->last_progress() < b.second->last_progress();
          });
      sessions_.erase(oldest);
    }
    const int descriptor = socket->number();
    sessions_[descriptor] = std::make_unique<DirectSession>(source_, *std::move(socket));
    Watch(EPOLL_CTL_ADD, descriptor, EPOLLIN);
  }

  void Step(int descriptor) {
    const auto found = sessions_.find(descriptor);
    if (found == sessions_.end()) return;  // Closed by an event before this one.
    DirectSession& session = *found->second;
    const bool sent_before = session.wants_to_send();
    if (const absl::Status status = session.Step(scratch_); !status.ok()) {
      if (!absl::IsUnavailable(status)) {
        log::Warn("direct read refused", {{"error", status.ToString()}});
      }
      sessions_.erase(found);
      return;
    }
    const bool sends = session.wants_to_send();
    if (sends != sent_before) Watch(EPOLL_CTL_MOD, descriptor, sends ? EPOLLOUT : EPOLLIN);
  }

  const DirectSource& source_;
  const LocalSocket& listening_;
  const int wake_;
  const Descriptor epoll_;
  // By descriptor. The kernel removes a closed one from the epoll.
  std::unordered_map<int, std::unique_ptr<DirectSession>> sessions_;
  SampleRows scratch_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DirectServer>> DirectServer::Start(DirectServerOptions options,
                                                                  SampleIndex& indexes,
                                                                  FileSystem& files) {
  ASSIGN_OR_RETURN(LocalSocket listening,
                   LocalSocket::Listen(options.path, LocalSocket::Kind::kStream));
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open()) return Unavailable("cannot make an eventfd: {}", std::strerror(errno));
  return std::unique_ptr<DirectServer>(
      new DirectServer(std::move(options), indexes, files, std::move(listening), std::move(wake)));
}

DirectServer::DirectServer(DirectServerOptions options, SampleIndex& indexes, FileSystem& files,
                           LocalSocket listening, Descriptor wake)
    : options_(std::move(options)),
      source_({.indexes = indexes,
               .files = files,
               .tokens = options_.tokens,
               .block_bytes = options_.block_bytes}),
      listening_(std::move(listening)),
      wake_(std::move(wake)),
      threads_("storage.direct", kNumThreads) {
  for (size_t i = 0; i < kNumThreads; ++i) {
    threads_.Submit([this] { Loop(source_, listening_, wake_.number()).Run(); });
  }
}

DirectServer::~DirectServer() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.number(), &one, sizeof(one));
  unlink(options_.path.c_str());
}

}  // namespace tidemill::storage

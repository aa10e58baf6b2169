#include "tests/slow_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "fmt/format.h"

namespace tidemill::tests {
namespace {

using Clock = std::chrono::steady_clock;

// What systems hold of a connection besides, so that little is under way and the pauses are felt.
constexpr int kSystemBytes = 8 << 10;
constexpr int kEthernetSegment = 1448;
constexpr int kPollMillis = 5;

sockaddr_in AddressOf(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int PortOf(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

int Bound() {
  const int bound = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = AddressOf(0);
  const int result = bind(bound, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  return result == 0 ? bound : -1;
}

// Forwards at most `most` of the available bytes. False at the end of either side.
bool Copy(int from, int to, int64_t most) {
  char bytes[16 << 10];
  const ssize_t size =
      recv(from, bytes, static_cast<size_t>(std::min<int64_t>(most, sizeof(bytes))), MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return false;
  for (ssize_t sent = 0; sent < size;) {
    const ssize_t now = send(to, bytes + sent, static_cast<size_t>(size - sent), MSG_NOSIGNAL);
    if (now < 0) return false;
    sent += now;
  }
  return true;
}

}  // namespace

int FreePort() {
  const int bound = Bound();
  const int port = PortOf(bound);
  close(bound);
  return port;
}

SlowProxy::SlowProxy(int to_port, const Throttle& throttle)
    : to_port_(to_port), throttle_(throttle), listener_(Bound()), port_(PortOf(listener_)) {
  listen(listener_, 16);
  thread_ = std::make_unique<WorkerPool>("slow-proxy", 1);
  thread_->Submit([this] { Run(); });
}

SlowProxy::~SlowProxy() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  thread_.reset();
  close(listener_);
}

std::string SlowProxy::endpoint() const { return fmt::format("127.0.0.1:{}", port_); }

bool SlowProxy::IsStopping() const {
  MutexLock lock(mutex_);
  return stopping_;
}

void SlowProxy::Accept() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // Before it connects: the window is agreed on then.
  setsockopt(server, SOL_SOCKET, SO_RCVBUF, &kSystemBytes, sizeof(kSystemBytes));
  // A segment of loopback has 64 KiB, and the system holds tens of them for a sender: more than a
  // megabyte, which a sender would take for a link of any speed.
  setsockopt(server, IPPROTO_TCP, TCP_MAXSEG, &kEthernetSegment, sizeof(kEthernetSegment));
  const int yes = 1;
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  const sockaddr_in address = AddressOf(to_port_);
  if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    close(client);
    close(server);
    return;
  }
  connections_.push_back({.client = client, .server = server});
}

bool SlowProxy::PassOn(Connection& connection, bool may_answer) {
  bool is_open = Copy(connection.client, connection.server, kSystemBytes);
  if (is_open && may_answer) {
    is_open = Copy(connection.server, connection.client, throttle_.portion_bytes);
  }
  if (!is_open) {
    close(connection.client);
    close(connection.server);
  }
  return is_open;
}

void SlowProxy::Run() {
  Clock::time_point next_portion = Clock::now();
  while (!IsStopping()) {
    std::vector<pollfd> waiting = {{.fd = listener_, .events = POLLIN, .revents = 0}};
    const auto now = Clock::now();
    const bool may_answer = now >= next_portion;
    for (const Connection& connection : connections_) {
      waiting.push_back({.fd = connection.client, .events = POLLIN, .revents = 0});
      if (!may_answer) continue;
      waiting.push_back({.fd = connection.server, .events = POLLIN, .revents = 0});
    }
    poll(waiting.data(), waiting.size(), kPollMillis);
    if ((waiting[0].revents & POLLIN) != 0) Accept();
    bool has_answer = false;
    for (size_t i = 1; may_answer && i < waiting.size(); ++i) {
      const auto is_it = [&](const Connection& one) { return one.server == waiting[i].fd; };
      has_answer = has_answer || (waiting[i].revents != 0 &&
                                  std::any_of(connections_.begin(), connections_.end(), is_it));
    }
    std::erase_if(connections_, [&](Connection& one) { return !PassOn(one, has_answer); });
    if (has_answer) next_portion = Clock::now() + throttle_.pause;
  }
  for (const Connection& connection : connections_) {
    close(connection.client);
    close(connection.server);
  }
}

}  // namespace tidemill::tests

#include "storage/testing/fault_proxy.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "fmt/format.h"

namespace tidemill::storage::testing {

namespace {

constexpr int kTickMillis = 10;

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// Whether the socket has something to read, an end included.
bool IsReadable(int socket) {
  pollfd wanted{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, 0) > 0;
}

}  // namespace

FaultProxy::FaultProxy(int server_port)
    : server_port_(server_port),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      thread_("proxy", 1) {
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 64) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::fprintf(stderr, "no proxy for tests\n");
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  thread_.Submit([this] { Loop(); });
}

FaultProxy::~FaultProxy() { stopping_ = true; }

std::string FaultProxy::endpoint() const { return fmt::format("http://127.0.0.1:{}", port_); }

void FaultProxy::CutAfter(int64_t bytes, int times) {
  MutexLock lock(mutex_);
  cut_after_ = bytes;
  num_cuts_ = times;
}

void FaultProxy::Answer(const std::string& text, int times) {
  MutexLock lock(mutex_);
  answer_ = text;
  num_answers_ = times;
}

void FaultProxy::Stall(int times) {
  MutexLock lock(mutex_);
  num_stalls_ = times;
}

void FaultProxy::Disconnect() {
  MutexLock lock(mutex_);
  disconnect_ = true;
}

void FaultProxy::Loop() {
  while (!stopping_) {
    std::vector<pollfd> wanted = {{.fd = listener_, .events = POLLIN, .revents = 0}};
    for (const Pair& pair : pairs_) {
      if (pair.is_stalled) continue;
      wanted.push_back({.fd = pair.client, .events = POLLIN, .revents = 0});
      wanted.push_back({.fd = pair.server, .events = POLLIN, .revents = 0});
    }
    poll(wanted.data(), wanted.size(), kTickMillis);
    if (IsReadable(listener_)) Accept();
    bool all_end = false;
    {
      MutexLock lock(mutex_);
      std::swap(all_end, disconnect_);
    }
    for (auto pair = pairs_.begin(); pair != pairs_.end();) {
      const bool goes_on =
          !all_end && (pair->is_stalled || (PassToServer(*pair) && PassToClient(*pair)));
      if (!goes_on) Close(*pair);
      pair = goes_on ? std::next(pair) : pairs_.erase(pair);
    }
  }
  for (Pair& pair : pairs_) Close(pair);
  close(listener_);
}

void FaultProxy::Accept() {
  Pair pair{.client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)};
  {
    MutexLock lock(mutex_);
    if (num_stalls_ > 0) {
      --num_stalls_;
      pair.is_stalled = true;
    } else if (num_cuts_ > 0) {
      --num_cuts_;
      pair.cut_after = cut_after_;
    }
  }
  const sockaddr_in address = Loopback(server_port_);
  pair.server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(pair.server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    Close(pair);
    return;
  }
  pairs_.push_back(pair);
}

bool FaultProxy::PassToServer(Pair& pair) {
  if (!IsReadable(pair.client)) return true;
  std::array<char, 65536> bytes{};
  const ssize_t size = recv(pair.client, bytes.data(), bytes.size(), 0);
  if (size <= 0) return false;
  // A request without a body comes in one piece, and the next one after its answer.
  const std::string_view request(bytes.data(), static_cast<size_t>(size));
  ++num_requests_;
  if (request.starts_with("GET ")) ++num_gets_;
  std::string answer;
  {
    MutexLock lock(mutex_);
    if (num_answers_ > 0) {
      --num_answers_;
      answer = answer_;
    }
  }
  if (answer.empty()) return SendAll(pair.server, request);
  SendAll(pair.client, answer);
  shutdown(pair.client, SHUT_WR);
  return false;
}

bool FaultProxy::PassToClient(Pair& pair) {
  if (!IsReadable(pair.server)) return true;
  std::array<char, 65536> bytes{};
  const ssize_t size = recv(pair.server, bytes.data(), bytes.size(), 0);
  if (size <= 0) return false;
  if (pair.cut_after < 0) return SendAll(pair.client, {bytes.data(), static_cast<size_t>(size)});
  const int64_t passed = std::min<int64_t>(size, pair.cut_after);
  SendAll(pair.client, {bytes.data(), static_cast<size_t>(passed)});
  pair.cut_after -= passed;
  return pair.cut_after > 0;
}

// With a reset where bytes were cut off, since a plain end might pass for that of an answer.
void FaultProxy::Close(Pair& pair) {
  if (pair.cut_after == 0) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(pair.client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  close(pair.client);
  close(pair.server);
}

}  // namespace tidemill::storage::testing

#include "tests/hosts/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "fmt/format.h"

#include "base/check.h"
#include "base/status.h"

namespace tidemill::tests {
namespace {

constexpr char kOwnSpace[] = "/proc/thread-self/ns/net";
// A packet of Ethernet's size, without its header.
constexpr size_t kMostBytes = 1500;
// The place of the last byte of the receiver's address in a packet of IPv4.
constexpr size_t kLastByteOfReceiver = 19;
constexpr size_t kHeaderBytes = 20;

absl::Status ErrnoStatus(std::string_view what) {
  return Unavailable("{}: {}", what, std::string(strerror(errno)));
}

sockaddr AddressFor(const std::string& text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, text.c_str(), &address.sin_addr);
  sockaddr general{};
  memcpy(&general, &address, sizeof(address));
  return general;
}

ifreq Interface(const char* name) {
  ifreq request{};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  return request;
}

// Makes an interface of the calling thread's network work.
absl::Status BringUp(const char* name, const std::string& address) {
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request = Interface(name);
  bool is_well = true;
  if (!address.empty()) {
    request.ifr_addr = AddressFor(address);
    is_well = ioctl(control, SIOCSIFADDR, &request) == 0;
    request.ifr_netmask = AddressFor("255.255.255.0");
    is_well = is_well && ioctl(control, SIOCSIFNETMASK, &request) == 0;
  }
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  is_well = is_well && ioctl(control, SIOCSIFFLAGS, &request) == 0;
  const absl::Status status = is_well ? absl::OkStatus() : ErrnoStatus(name);
  close(control);
  return status;
}

// Returns a new interface of the calling thread's network, whose packets are read and written.
absl::StatusOr<int> OpenInterface(const std::string& address) {
  const int packets = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (packets < 0) return ErrnoStatus("/dev/net/tun");
  ifreq request = Interface("net0");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  absl::Status status =
      ioctl(packets, TUNSETIFF, &request) == 0 ? absl::OkStatus() : ErrnoStatus("a tun interface");
  if (status.ok()) status = BringUp("lo", "");
  if (status.ok()) status = BringUp("net0", address);
  if (status.ok()) return packets;
  close(packets);
  return status;
}

}  // namespace

Network::Host::~Host() {
  if (space >= 0) close(space);
  if (packets >= 0) close(packets);
}

std::string Network::AddressOf(int host) {
  return fmt::format("10.77.{}.{}", getpid() % 250, host + 1);
}

absl::StatusOr<std::unique_ptr<Network>> Network::Make(int num_hosts, const Link& link) {
  std::unique_ptr<Network> network(new Network(link));
  const int here = open(kOwnSpace, O_RDONLY | O_CLOEXEC);
  absl::Status status;
  for (int host = 0; status.ok() && host < num_hosts; ++host) status = network->AddHost();
  const bool is_back = setns(here, CLONE_NEWNET) == 0;
  close(here);
  RETURN_IF_ERROR(status);
  TIDEMILL_CHECK(is_back);
  network->thread_ = std::make_unique<WorkerPool>("network", 1);
  network->thread_->Submit([raw = network.get()] { raw->Run(); });
  return network;
}

absl::Status Network::AddHost() {
  if (unshare(CLONE_NEWNET) != 0) return ErrnoStatus("a network namespace");
  auto host = std::make_unique<Host>();
  host->space = open(kOwnSpace, O_RDONLY | O_CLOEXEC);
  ASSIGN_OR_RETURN(host->packets, OpenInterface(AddressOf(num_hosts())));
  hosts_.push_back(std::move(host));
  return absl::OkStatus();
}

Network::~Network() {
  is_stopping_ = true;
  thread_.reset();
}

void Network::Enter(int host) const {
  TIDEMILL_CHECK(setns(hosts_[static_cast<size_t>(host)]->space, CLONE_NEWNET) == 0);
}

void Network::SetAway(int host, bool is_away) {
  hosts_[static_cast<size_t>(host)]->is_away = is_away;
}

void Network::CutOff(int host, std::chrono::milliseconds after, std::chrono::milliseconds time) {
  std::this_thread::sleep_for(after);
  SetAway(host, true);
  std::this_thread::sleep_for(time);
  SetAway(host, false);
}

Network::Clock::duration Network::TimeOf(size_t num_bytes) const {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(8 * static_cast<double>(num_bytes) / link_.bits_per_second));
}

void Network::Take(int from, std::string bytes) {
  if (bytes.size() < kHeaderBytes || (bytes[0] >> 4) != 4) return;
  const int to = static_cast<uint8_t>(bytes[kLastByteOfReceiver]) - 1;
  if (to < 0 || to >= num_hosts() || to == from) return;
  Host& sender = *hosts_[static_cast<size_t>(from)];
  Host& receiver = *hosts_[static_cast<size_t>(to)];
  if (sender.is_away || receiver.is_away) return;
  const auto now = Clock::now();
  const auto sent = std::max(now, sender.sends_until);
  const auto arrived = std::max(sent + link_.delay, receiver.receives_until);
  if (sent - now > link_.queue || arrived - (sent + link_.delay) > link_.queue) return;
  const auto time = TimeOf(bytes.size());
  sender.sends_until = sent + time;
  receiver.receives_until = arrived + time;
  under_way_.emplace(receiver.receives_until, Packet{.to = to, .bytes = std::move(bytes)});
}

void Network::Deliver() {
  const auto now = Clock::now();
  while (!under_way_.empty() && under_way_.begin()->first <= now) {
    const Packet& packet = under_way_.begin()->second;
    Host& receiver = *hosts_[static_cast<size_t>(packet.to)];
    if (!receiver.is_away &&
        write(receiver.packets, packet.bytes.data(), packet.bytes.size()) > 0) {
      receiver.bytes_received += static_cast<int64_t>(packet.bytes.size());
    }
    under_way_.erase(under_way_.begin());
  }
}

void Network::Run() {
  constexpr std::chrono::milliseconds kLookAtLeast{20};
  std::vector<pollfd> waiting;
  for (const auto& host : hosts_) {
    waiting.push_back({.fd = host->packets, .events = POLLIN, .revents = 0});
  }
  while (!is_stopping_) {
    Clock::duration wait = kLookAtLeast;
    if (!under_way_.empty()) wait = std::min(wait, under_way_.begin()->first - Clock::now());
    const auto nanos = std::max(std::chrono::nanoseconds(wait), std::chrono::nanoseconds{0});
    const timespec patience = {.tv_sec = 0, .tv_nsec = nanos.count()};
    ppoll(waiting.data(), waiting.size(), &patience, nullptr);
    for (int host = 0; host < num_hosts(); ++host) {
      char bytes[kMostBytes];
      ssize_t size = 0;
      while ((size = read(waiting[static_cast<size_t>(host)].fd, bytes, sizeof bytes)) > 0) {
        Take(host, std::string(bytes, static_cast<size_t>(size)));
      }
    }
    Deliver();
  }
}

}  // namespace tidemill::tests

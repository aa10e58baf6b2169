// Several hosts on this machine: network namespaces, and a network between them that has a speed, a
// delay, and hosts that are away.
//
//   host 0          host 1          host 2
//   net0 10.77.0.1  net0 10.77.0.2  net0 10.77.0.3     network interfaces (tun)
//      |               |               |
//      +------- a thread: queues -------+              packets, as they come from the kernels
//
// A packet waits until the link of its sender is free, travels for the delay, and waits until the
// link of its receiver is free. One that finds a full queue is dropped, as on a real network, and
// so are those from and to a host that is away: the kernels' own TCP has to deal with it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "base/threads/worker_pool.h"

namespace tidemill::tests {

// What every host has, in each direction.
struct Link {
  double bits_per_second = 50e6;
  // From any host to any other one.
  std::chrono::microseconds delay = std::chrono::milliseconds{20};
  // What waits at most. More is dropped.
  std::chrono::milliseconds queue{50};
};

// Thread-compatible; SetAway() is thread-safe.
class Network {
 public:
  // Needs root's rights. UNAVAILABLE says what this machine lacks.
  static absl::StatusOr<std::unique_ptr<Network>> Make(int num_hosts, const Link& link);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  int num_hosts() const { return static_cast<int>(hosts_.size()); }
  // "10.77.0.1". The third number is of this process: where programs name a file after an address,
  // those of two networks must not meet.
  static std::string AddressOf(int host);

  // Moves the calling thread, and what it starts, to the network of a host.
  void Enter(int host) const;

  // Cuts a host off, or connects it again. Connections only notice that nothing arrives.
  void SetAway(int host, bool is_away);
  // Cuts a host off after a time, for a time. Returns when it is connected again.
  void CutOff(int host, std::chrono::milliseconds after, std::chrono::milliseconds time);

  // The bytes that have arrived at a host from others.
  int64_t BytesTo(int host) const { return hosts_[static_cast<size_t>(host)]->bytes_received; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Host {
    int space = -1;    // The namespace.
    int packets = -1;  // The interface.
    Clock::time_point sends_until = {};
    Clock::time_point receives_until = {};
    std::atomic<bool> is_away = false;
    std::atomic<int64_t> bytes_received = 0;
    ~Host();
  };
  struct Packet {
    int to = 0;
    std::string bytes;
  };

  explicit Network(const Link& link) : link_(link) {}

  absl::Status AddHost();
  void Run();
  void Take(int from, std::string bytes);
  void Deliver();
  Clock::duration TimeOf(size_t num_bytes) const;

  const Link link_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::multimap<Clock::time_point, Packet> under_way_;  // By the time of arrival.
  std::atomic<bool> is_stopping_ = false;
  std::unique_ptr<WorkerPool> thread_;  // The last member: it uses all members above.
};

}  // namespace tidemill::tests

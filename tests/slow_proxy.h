// A network between two programs of one machine that is slower than the machine's own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/threads/worker_pool.h"

namespace tidemill::tests {

// Returns a TCP port on 127.0.0.1 that is free now.
int FreePort();

// Bytes from the server pass in portions: a number of bytes at once, then nothing for the pause.
// Bytes to the server are not delayed.
struct Throttle {
  int64_t portion_bytes = 0;
  std::chrono::milliseconds pause{0};
};

// Listens on a port of 127.0.0.1 and passes its bytes on to another port there, until it is
// destroyed. Thread-safe.
class SlowProxy {
 public:
  SlowProxy(int to_port, const Throttle& throttle);
  ~SlowProxy();
  SlowProxy(const SlowProxy&) = delete;
  SlowProxy& operator=(const SlowProxy&) = delete;

  // "127.0.0.1:4711"
  std::string endpoint() const;

 private:
  struct Connection {
    int client = -1;
    int server = -1;
  };

  void Run();
  void Accept();
  // Returns whether both sides are still connected.
  bool PassOn(Connection& connection, bool may_answer);
  bool IsStopping() const ABSL_LOCKS_EXCLUDED(mutex_);

  const int to_port_;
  const Throttle throttle_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<Connection> connections_;  // Used by the thread only.
  mutable Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<WorkerPool> thread_;  // The last member: it uses all members above.
};

}  // namespace tidemill::tests

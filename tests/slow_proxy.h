// A network between two programs of one machine that is narrower than the machine's own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/threads/worker_pool.h"

namespace tidemill::tests {

// A TCP port that is free now, on 127.0.0.1.
int FreePort();

// What comes back from the server goes in portions: so many bytes at once, then nothing for the
// pause. What goes to the server is not held up.
struct Throttle {
  int64_t portion_bytes = 0;
  std::chrono::milliseconds pause{0};
};

// Listens on a port of 127.0.0.1 and passes on what comes to another port there, until destroyed.
// Thread-safe.
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
  // Whether both sides are still there.
  bool PassOn(Connection& connection, bool may_answer);
  bool IsStopping() const ABSL_LOCKS_EXCLUDED(mutex_);

  const int to_port_;
  const Throttle throttle_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<Connection> connections_;  // Of the thread.
  mutable Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<WorkerPool> thread_;  // Last: it uses all of the above.
};

}  // namespace tidemill::tests

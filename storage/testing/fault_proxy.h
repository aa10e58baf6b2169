// A connection to a server on loopback that breaks when a test wants it to.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>

#include "base/mutex.h"
#include "base/threads/worker_pool.h"

namespace tidemill::storage::testing {

// Passes bytes on between its own port and that of a server. Thread-safe. Aborts the test program
// when it cannot be had.
class FaultProxy {
 public:
  explicit FaultProxy(int server_port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::string endpoint() const;

  // The next `times` connections are reset when the server has sent so many bytes.
  void CutAfter(int64_t bytes, int times) ABSL_LOCKS_EXCLUDED(mutex_);
  // The next `times` requests get this answer, and the connection ends.
  void Answer(const std::string& text, int times) ABSL_LOCKS_EXCLUDED(mutex_);
  // The next `times` connections pass nothing on.
  void Stall(int times) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends all connections that there are.
  void Disconnect() ABSL_LOCKS_EXCLUDED(mutex_);

  // GET requests that came so far, and all of them.
  int num_gets() const { return num_gets_; }
  int num_requests() const { return num_requests_; }

 private:
  struct Pair {
    int client = -1;
    int server = -1;
    bool is_stalled = false;
    int64_t cut_after = -1;  // No cut when negative.
  };

  void Loop() ABSL_LOCKS_EXCLUDED(mutex_);
  void Accept() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the pair goes on.
  bool PassToServer(Pair& pair) ABSL_LOCKS_EXCLUDED(mutex_);
  bool PassToClient(Pair& pair);
  static void Close(Pair& pair);

  const int server_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> num_gets_ = 0, num_requests_ = 0;
  std::list<Pair> pairs_;  // Of the loop alone.
  Mutex mutex_;
  int64_t cut_after_ ABSL_GUARDED_BY(mutex_) = -1;
  int num_cuts_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string answer_ ABSL_GUARDED_BY(mutex_);
  int num_answers_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_stalls_ ABSL_GUARDED_BY(mutex_) = 0;
  bool disconnect_ ABSL_GUARDED_BY(mutex_) = false;
  WorkerPool thread_;  // Last: it starts once everything above exists.
};

}  // namespace tidemill::storage::testing

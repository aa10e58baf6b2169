// A connection to a server on loopback that a test can break.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>

#include "base/mutex.h"
#include "base/threads/worker_pool.h"

namespace tidemill::storage::testing {

// Passes bytes between its own port and that of a server. Thread-safe. Aborts the test program when
// it cannot be made.
class FaultProxy {
 public:
  explicit FaultProxy(int server_port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::string endpoint() const;

  // The next `times` connections are reset when the server has sent `bytes`.
  void CutAfter(int64_t bytes, int times) ABSL_LOCKS_EXCLUDED(mutex_);
  // The next `times` requests get this answer, and the connection ends.
  void Answer(const std::string& text, int times) ABSL_LOCKS_EXCLUDED(mutex_);
  // The next `times` connections pass nothing on.
  void Stall(int times) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends all present connections.
  void Disconnect() ABSL_LOCKS_EXCLUDED(mutex_);

  // The number of GET requests so far, and of all requests.
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
  // Whether the pair continues.
  bool PassToServer(Pair& pair) ABSL_LOCKS_EXCLUDED(mutex_);
  bool PassToClient(Pair& pair);
  static void Close(Pair& pair);

  const int server_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> num_gets_ = 0, num_requests_ = 0;
  std::list<Pair> pairs_;  // Used by the loop only.
  Mutex mutex_;
  int64_t cut_after_ ABSL_GUARDED_BY(mutex_) = -1;
  int num_cuts_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string answer_ ABSL_GUARDED_BY(mutex_);
  int num_answers_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_stalls_ ABSL_GUARDED_BY(mutex_) = 0;
  bool disconnect_ ABSL_GUARDED_BY(mutex_) = false;
  WorkerPool thread_;  // The last member: it starts once all members above exist.
};

}  // namespace tidemill::storage::testing

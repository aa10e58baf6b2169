// A fixed number of threads that run tasks from one queue.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace tidemill {

// Thread-safe. The destructor runs the queued tasks, then joins.
class WorkerPool {
 public:
  WorkerPool(std::string name, int num_threads);
  ~WorkerPool();

  // Queues a task.
  void Submit(std::function<void()> task) ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs body(0) .. body(count - 1) on the pool's threads and the caller's. Returns when all are
  // done. A task of the pool may call it. All of it is for the caller's account (base/usage).
  void ParallelFor(int64_t count, const std::function<void(int64_t)>& body)
      ABSL_LOCKS_EXCLUDED(mutex_);

  int num_threads() const { return num_threads_; }

 private:
  void Loop() ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string name_;
  const int num_threads_;
  Mutex mutex_;
  CondVar wake_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // The last member: they start once all members above exist.
};

}  // namespace tidemill

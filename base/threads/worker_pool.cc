#include "base/threads/worker_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/usage/account.h"

namespace tidemill {

WorkerPool::WorkerPool(std::string name, int num_threads)
    : name_(std::move(name)), num_threads_(std::max(num_threads, 1)) {
  threads_.reserve(static_cast<size_t>(num_threads_));
  for (int i = 0; i < num_threads_; ++i) threads_.emplace_back([this] { Loop(); });
}

WorkerPool::~WorkerPool() {
  MutexLock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
}

void WorkerPool::Submit(std::function<void()> task) {
  TIDEMILL_CHECK(task != nullptr);
  MutexLock lock(mutex_);
  tasks_.push_back(std::move(task));
  wake_.notify_one();
}

void WorkerPool::Loop() {
  pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      while (tasks_.empty() && !stopping_) wake_.wait(mutex_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void WorkerPool::ParallelFor(int64_t count, const std::function<void(int64_t)>& body) {
  TIDEMILL_CHECK(count >= 0 && body != nullptr);
  // Outlives this call: a queued task may start after the others have done all the work. It then
  // finds no index and does not touch `body`.
  struct Progress {
    std::atomic<int64_t> next = 0;
    Mutex mutex;
    CondVar finished;
    int64_t done ABSL_GUARDED_BY(mutex) = 0;
  };
  const auto progress = std::make_shared<Progress>();
  const auto work = [progress, count, &body, account = usage::Current()] {
    if (progress->next >= count) return;
    const usage::Scope scope(account);
    int64_t done = 0;
    for (int64_t i = progress->next++; i < count; i = progress->next++) {
      body(i);
      ++done;
    }
    if (done == 0) return;
    MutexLock lock(progress->mutex);
    progress->done += done;
    if (progress->done == count) progress->finished.notify_all();
  };
  const int64_t others = std::min<int64_t>(num_threads_, count - 1);
  for (int64_t i = 0; i < others; ++i) Submit(work);
  work();
  MutexLock lock(progress->mutex);
  while (progress->done < count) progress->finished.wait(progress->mutex);
}

}  // namespace tidemill

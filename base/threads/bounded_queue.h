// A queue between threads with a limit on its items or bytes.
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"

namespace tidemill {

// Several producers, several consumers. Thread-safe.
//
// The budget counts `cost` in any unit, such as bytes or items. An item larger than the whole
// budget is accepted when the queue is empty, so that nothing can get stuck.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(int64_t budget) : budget_(budget) {}

  // Waits for room. After Cancel(), returns its status.
  absl::Status Push(T item, int64_t cost = 1) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    while (cancelled_.ok() && used_ > 0 && used_ + cost > budget_) changed_.wait(mutex_);
    if (!cancelled_.ok()) return cancelled_;
    used_ += cost;
    items_.emplace_back(std::move(item), cost);
    changed_.notify_all();
    return absl::OkStatus();
  }

  // Waits for an item. Returns std::nullopt after Close() when the queue is empty. After Cancel(),
  // returns its status at once.
  absl::StatusOr<std::optional<T>> Pop() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    while (cancelled_.ok() && items_.empty() && !closed_) changed_.wait(mutex_);
    if (!cancelled_.ok()) return cancelled_;
    if (items_.empty()) return std::optional<T>();
    std::optional<T> item(std::move(items_.front().first));
    used_ -= items_.front().second;
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  // Declares that no more items will be pushed.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // Drops the items. Every waiting and later call returns `status`, which must not be OK. The first
  // status given stays.
  void Cancel(absl::Status status) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    if (cancelled_.ok()) cancelled_ = std::move(status);
    items_.clear();
    used_ = 0;
    changed_.notify_all();
  }

 private:
  const int64_t budget_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::pair<T, int64_t>> items_ ABSL_GUARDED_BY(mutex_);
  int64_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status cancelled_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill

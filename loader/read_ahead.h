// Produces a numbered sequence on several threads and returns it in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/thread_priority.h"
#include "base/threads/worker_pool.h"

namespace tidemill::loader {

// Makes the items first .. last - 1 with `produce`, as far ahead as the items fit into a budget of
// bytes, but at least the next item. The threads live as long as the object. They give way to other
// threads, so that a thread that uses an item does not wait for a processor that makes further
// items. Next() belongs to one thread. The destructor asks running calls of `produce` to stop, and
// waits for them.
template <typename T>
class ReadAhead {
 public:
  using Produce = std::function<absl::StatusOr<T>(int64_t number, const std::stop_token& stop)>;
  using Cost = std::function<int64_t(const T&)>;

  struct Options {
    int num_threads = 2;
    // The most threads that SetThreads() may ask for; 0: `num_threads`.
    int most_threads = 0;
    // The budget for finished items, including the one taken last, and for items being made.
    int64_t bytes = int64_t{64} << 20;
    // The assumed bytes of an item before the first is made. Later, the bytes of the largest item
    // are used.
    int64_t expected_bytes = 1;
  };

  ReadAhead(const Options& options, int64_t first, int64_t last, Produce produce, Cost cost)
      : options_(options),
        last_(last),
        produce_(std::move(produce)),
        cost_(std::move(cost)),
        next_(first),
        begun_(first),
        threads_(options.num_threads),
        expected_(std::max<int64_t>(1, options.expected_bytes)),
        pool_("read-ahead", std::max(options.num_threads, options.most_threads)) {}
  ~ReadAhead() { stop_.request_stop(); }

  // Waits for the next item. Returns std::nullopt after the last. When an item could not be made,
  // returns its status; what follows it is undefined.
  absl::StatusOr<std::optional<T>> Next() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    taken_ = 0;
    if (next_ == last_) return std::optional<T>();
    Begin();
    while (!made_.contains(next_)) changed_.wait(mutex_);
    Made made = std::move(made_.extract(next_++).mapped());
    ready_ -= made.bytes;
    taken_ = made.bytes;
    if (!made.item.ok()) return std::move(made.item).status();
    Begin();
    return std::optional<T>(*std::move(made.item));
  }

  // From now on, this number of threads makes items. Calls of `produce` that run are finished.
  void SetThreads(int num_threads) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    threads_ = std::min(num_threads, pool_.num_threads());
    Begin();
  }

 private:
  struct Made {
    absl::StatusOr<T> item;
    int64_t bytes = 0;
  };

  // Called whenever an item was made or taken, because an item that is finished earlier makes room
  // earlier.
  void Begin() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (; begun_ < last_ && being_made_ < threads_ && (begun_ == next_ || HasRoom()); ++begun_) {
      ++being_made_;
      pool_.Submit([this, number = begun_] { Make(number); });
    }
  }

  bool HasRoom() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return ready_ + taken_ + (being_made_ + 1) * expected_ <= options_.bytes;
  }

  void Make(int64_t number) ABSL_LOCKS_EXCLUDED(mutex_) {
    GiveWay();
    absl::StatusOr<T> item = Cancelled("no reader waits for it");
    if (!stop_.stop_requested()) item = produce_(number, stop_.get_token());
    const int64_t bytes = item.ok() ? cost_(*item) : 0;
    MutexLock lock(mutex_);
    --being_made_;
    ready_ += bytes;
    expected_ = std::max(expected_, bytes);
    made_.emplace(number, Made{std::move(item), bytes});
    if (!stop_.stop_requested()) Begin();
    changed_.notify_all();
  }

  const Options options_;
  const int64_t last_;
  const Produce produce_;
  const Cost cost_;
  Mutex mutex_;
  CondVar changed_;
  int64_t next_ ABSL_GUARDED_BY(mutex_);
  int64_t begun_ ABSL_GUARDED_BY(mutex_);
  int64_t being_made_ ABSL_GUARDED_BY(mutex_) = 0;
  int threads_ ABSL_GUARDED_BY(mutex_);
  // The bytes of `made_`, of the item taken last, and of the largest item so far.
  int64_t ready_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t expected_ ABSL_GUARDED_BY(mutex_);
  std::map<int64_t, Made> made_ ABSL_GUARDED_BY(mutex_);
  std::stop_source stop_;
  WorkerPool pool_;  // The last member: its destructor waits for tasks that use all members above.
};

}  // namespace tidemill::loader

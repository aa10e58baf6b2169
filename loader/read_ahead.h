// Produces a sequence on several threads and returns it in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/thread_priority.h"
#include "base/threads/worker_pool.h"

namespace tidemill::loader {

// Makes items of the positions first .. last - 1 with `produce`, as far ahead as they fit into a
// budget of bytes, but at least the next item. An item is of several consecutive positions. How
// many, and how many threads make items, may change on the way:
//
//   positions  0 1 2 3 | 4 5 6 7 | 8 9 | 10 11 | 12 ...
//                      4 together         2 together, from here on
//
// A thread is started when there is an item for it and all others are busy, and lives as long as
// the object. Threads give way to other threads, so that a thread that uses an item does not wait
// for a processor that makes further items. Next() and Set() belong to one thread. The destructor
// asks running calls of `produce` to stop, and waits for them.
template <typename T>
class ReadAhead {
 public:
  // Makes the item of the positions [from, to).
  using Produce =
      std::function<absl::StatusOr<T>(int64_t from, int64_t to, const std::stop_token& stop)>;
  using Cost = std::function<int64_t(const T&)>;

  struct Options {
    int num_threads = 2;
    // The positions of an item. Items end at multiples of this number.
    int64_t together = 1;
    // The budget for finished items, including the one taken last, and for items being made.
    int64_t bytes = int64_t{64} << 20;
    // The assumed bytes of a position before the first item is made. Later, the greatest bytes of a
    // position are used.
    int64_t expected_bytes = 1;
  };

  ReadAhead(const Options& options, int64_t first, int64_t last, Produce produce, Cost cost)
      : bytes_(options.bytes),
        last_(last),
        produce_(std::move(produce)),
        cost_(std::move(cost)),
        next_(first),
        begun_(first),
        num_threads_(options.num_threads),
        together_(options.together),
        expected_(std::max<int64_t>(1, options.expected_bytes)) {}
  ~ReadAhead() {
    stop_.request_stop();
    MutexLock lock(mutex_);  // No thread is started any more.
    work_.notify_all();
  }

  // Waits for the next item. Returns std::nullopt after the last. When an item could not be made,
  // returns its status; what follows it is undefined.
  absl::StatusOr<std::optional<T>> Next() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    taken_ = 0;
    if (next_ == last_) return std::optional<T>();
    Wake();
    while (!made_.contains(next_)) changed_.wait(mutex_);
    Made made = std::move(made_.extract(next_).mapped());
    next_ = made.end;
    ready_ -= made.bytes;
    taken_ = made.bytes;
    if (!made.item.ok()) return std::move(made.item).status();
    Wake();
    return std::optional<T>(*std::move(made.item));
  }

  // From now on, this number of threads makes items of this number of positions. Calls of `produce`
  // that run are finished.
  void Set(int num_threads, int64_t together) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    num_threads_ = num_threads;
    together_ = together;
    Wake();
  }

 private:
  struct Made {
    absl::StatusOr<T> item;
    int64_t end = 0;
    int64_t bytes = 0;
  };

  // The positions [from, to) of an item.
  struct Place {
    int64_t from = 0;
    int64_t to = 0;
  };

  Place NextPlace() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return {begun_, std::min(last_, (begun_ / together_ + 1) * together_)};
  }

  bool CanBegin() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (begun_ == last_ || num_making_ >= num_threads_) return false;
    const Place place = NextPlace();
    const int64_t promised = (positions_making_ + place.to - place.from) * expected_;
    return begun_ == next_ || ready_ + taken_ + promised <= bytes_;
  }

  bool HasEnded() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return begun_ == last_ || stop_.stop_requested();
  }

  // Finds a thread for the next item, if that can be begun. The thread does the same when it has
  // begun it.
  void Wake() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (HasEnded() || !CanBegin()) return;
    if (num_idle_ > 0) {
      work_.notify_one();
    } else if (std::ssize(threads_) < num_threads_) {
      ++num_idle_;
      threads_.emplace_back("read-ahead", 1).Submit([this] { Run(); });
    }
  }

  void Run() ABSL_LOCKS_EXCLUDED(mutex_) {
    LowerThreadPriority();
    while (const std::optional<Place> place = Claim()) Make(*place);
  }

  // Waits for an item to make. Returns std::nullopt when there are no more.
  std::optional<Place> Claim() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    while (!HasEnded() && !CanBegin()) work_.wait(mutex_);
    if (HasEnded()) return std::nullopt;
    const Place place = NextPlace();
    begun_ = place.to;
    --num_idle_;
    ++num_making_;
    positions_making_ += place.to - place.from;
    Wake();
    return place;
  }

  void Make(Place place) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::StatusOr<T> item = produce_(place.from, place.to, stop_.get_token());
    const int64_t bytes = item.ok() ? cost_(*item) : 0;
    const int64_t positions = place.to - place.from;
    MutexLock lock(mutex_);
    ++num_idle_;
    --num_making_;
    positions_making_ -= positions;
    ready_ += bytes;
    expected_ = std::max(expected_, (bytes + positions - 1) / positions);
    made_.emplace(place.from, Made{std::move(item), place.to, bytes});
    changed_.notify_all();
  }

  const int64_t bytes_;
  const int64_t last_;
  const Produce produce_;
  const Cost cost_;
  std::stop_source stop_;
  Mutex mutex_;
  CondVar changed_;  // An item was made.
  CondVar work_;     // An item can be begun, or there are no more.
  int64_t next_ ABSL_GUARDED_BY(mutex_);
  int64_t begun_ ABSL_GUARDED_BY(mutex_);
  int num_threads_ ABSL_GUARDED_BY(mutex_);
  int64_t together_ ABSL_GUARDED_BY(mutex_);
  // The threads that make an item, the positions of these items, and the threads that make none.
  int num_making_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t positions_making_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_idle_ ABSL_GUARDED_BY(mutex_) = 0;
  // The bytes of `made_`, of the item taken last, and of the largest position so far.
  int64_t ready_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t expected_ ABSL_GUARDED_BY(mutex_);
  std::map<int64_t, Made> made_ ABSL_GUARDED_BY(mutex_);  // By the first position.
  // Each is one thread. The last member: its destructor waits for threads that use all members
  // above.
  std::deque<WorkerPool> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::loader

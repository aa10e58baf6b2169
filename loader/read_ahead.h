// Produces a numbered sequence on several threads and hands it over in order.
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
#include "base/worker_pool.h"

namespace tidemill::loader {

// Makes items first .. last - 1 by `produce`, at most `window` of them begun and not yet taken, so
// that memory is bounded. Next() belongs to one thread. The destructor asks running calls of
// `produce` to stop and waits for them.
template <typename T>
class ReadAhead {
 public:
  using Produce = std::function<absl::StatusOr<T>(int64_t number, const std::stop_token& stop)>;

  struct Options {
    int num_threads = 2;
    int64_t window = 4;
  };

  ReadAhead(const Options& options, int64_t first, int64_t last, Produce produce)
      : window_(options.window),
        last_(last),
        produce_(std::move(produce)),
        next_(first),
        begun_(first),
        pool_("read-ahead", options.num_threads) {}
  ~ReadAhead() { stop_.request_stop(); }

  // Waits for the next item; std::nullopt after the last. An item that could not be made gives its
  // status; what lies behind it is undefined.
  absl::StatusOr<std::optional<T>> Next() ABSL_LOCKS_EXCLUDED(mutex_) {
    if (next_ == last_) return std::optional<T>();
    Begin();
    absl::StatusOr<T> item = Take(next_++);
    if (!item.ok()) return std::move(item).status();
    Begin();
    return std::optional<T>(*std::move(item));
  }

 private:
  void Begin() {
    for (; begun_ < std::min(last_, next_ + window_); ++begun_) {
      pool_.Submit([this, number = begun_] { Make(number); });
    }
  }

  void Make(int64_t number) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::StatusOr<T> item = Cancelled("nobody waits for it");
    if (!stop_.stop_requested()) item = produce_(number, stop_.get_token());
    MutexLock lock(mutex_);
    made_.emplace(number, std::move(item));
    changed_.notify_all();
  }

  absl::StatusOr<T> Take(int64_t number) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    while (!made_.contains(number)) changed_.wait(mutex_);
    return std::move(made_.extract(number).mapped());
  }

  const int64_t window_;
  const int64_t last_;
  const Produce produce_;
  int64_t next_;
  int64_t begun_;
  Mutex mutex_;
  CondVar changed_;
  std::map<int64_t, absl::StatusOr<T>> made_ ABSL_GUARDED_BY(mutex_);
  std::stop_source stop_;
  WorkerPool pool_;  // Last: its destructor waits for tasks that use all of the above.
};

}  // namespace tidemill::loader

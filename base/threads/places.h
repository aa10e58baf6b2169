// Bounds how many threads do something at the same time.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "base/mutex.h"

namespace tidemill {

// A fixed number of places. Thread-safe. Must outlive the places that it gives.
class Places {
 public:
  // A place that is taken. The destructor returns it. Thread-compatible.
  class Place {
   public:
    Place(Place&& other) noexcept : places_(std::exchange(other.places_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (places_ != nullptr) places_->GiveBack();
    }

   private:
    friend class Places;
    explicit Place(Places* places) : places_(places) {}

    Places* places_;  // nullptr when moved from.
  };

  explicit Places(int count) : num_free_(count) {}

  // Waits until a place is free. std::nullopt when none is within `longest_wait`.
  std::optional<Place> Take(std::chrono::milliseconds longest_wait) ABSL_LOCKS_EXCLUDED(mutex_) {
    const auto give_up = std::chrono::steady_clock::now() + longest_wait;
    MutexLock lock(mutex_);
    while (num_free_ == 0) {
      const std::cv_status woken = freed_.wait_until(mutex_, give_up);
      if (woken == std::cv_status::timeout && num_free_ == 0) return std::nullopt;
    }
    --num_free_;
    return Place(this);
  }

 private:
  void GiveBack() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    ++num_free_;
    freed_.notify_one();
  }

  Mutex mutex_;
  CondVar freed_;
  int num_free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill

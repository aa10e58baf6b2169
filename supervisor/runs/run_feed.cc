#include "supervisor/runs/run_feed.h"

#include <algorithm>
#include <utility>

namespace tidemill::supervisor {

void RunFeed::Append(v1::WatchRunResponse::Event event) {
  {
    MutexLock lock(mutex_);
    if (!events_.empty() && event.sequence() <= events_.back().sequence()) return;
    events_.push_back(std::move(event));
  }
  WakeAll();
}

void RunFeed::Report(v1::Progress progress) {
  {
    MutexLock lock(mutex_);
    progress_ = std::move(progress);
    ++progress_version_;
  }
  WakeAll();
}

void RunFeed::Close(v1::Run final) {
  {
    MutexLock lock(mutex_);
    final_ = std::move(final);
  }
  WakeAll();
}

std::optional<v1::WatchRunResponse> RunFeed::Next(Cursor& cursor) const {
  MutexLock lock(mutex_);
  v1::WatchRunResponse response;
  const auto event = std::upper_bound(
      events_.begin(), events_.end(), cursor.after_sequence,
      [](int64_t sequence, const auto& other) { return sequence < other.sequence(); });
  if (event != events_.end()) {
    *response.mutable_event() = *event;
    cursor.after_sequence = event->sequence();
    return response;
  }
  if (final_) {
    if (cursor.finished) return std::nullopt;
    *response.mutable_final() = *final_;
    cursor.finished = true;
    return response;
  }
  if (cursor.progress_version < progress_version_) {
    *response.mutable_progress() = progress_;
    cursor.progress_version = progress_version_;
    return response;
  }
  return std::nullopt;
}

int64_t RunFeed::Subscribe(std::function<void()> wake) {
  MutexLock lock(mutex_);
  wakes_.emplace(next_subscription_, std::move(wake));
  return next_subscription_++;
}

void RunFeed::Unsubscribe(int64_t subscription) {
  MutexLock lock(mutex_);
  wakes_.erase(subscription);
}

void RunFeed::WakeAll() {
  std::vector<std::function<void()>> wakes;
  {
    MutexLock lock(mutex_);
    for (const auto& [subscription, wake] : wakes_) wakes.push_back(wake);
  }
  for (const auto& wake : wakes) wake();
}

}  // namespace tidemill::supervisor

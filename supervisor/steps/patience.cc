#include "supervisor/steps/patience.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/disk_full.h"
#include "base/logs/log.h"

namespace tidemill::supervisor {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

// How long a service may be away before the run fails.
constexpr std::chrono::minutes kPatience{30};
constexpr milliseconds kFirstPause{100};

// Whether an error says that a service cannot be reached, rather than that the call was wrong.
bool IsPassing(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsCancelled(status) ||
         absl::IsDeadlineExceeded(status);
}

}  // namespace

// One wait for room, from the first failure to the end of the call's repetitions.
class Patience::RoomWait {
 public:
  explicit RoomWait(Patience& patience) : patience_(patience) {}
  ~RoomWait() {
    if (reason_.empty()) return;
    const std::chrono::duration<double> length = SteadyClock::now() - begin_;
    patience_.Note(reason_, length.count());
    if (patience_.listener_) patience_.listener_("");
  }
  RoomWait(const RoomWait&) = delete;
  RoomWait& operator=(const RoomWait&) = delete;

  void Note(const absl::Status& failure) {
    if (!reason_.empty() || !IsDiskFull(failure)) return;
    reason_ = std::string(failure.message());
    begin_ = SteadyClock::now();
    if (patience_.listener_) patience_.listener_(reason_);
  }

 private:
  Patience& patience_;
  std::string reason_;  // Empty while there was room.
  SteadyClock::time_point begin_;
};

std::optional<Patience::Wait> Patience::TakeWait() {
  MutexLock lock(mutex_);
  return std::exchange(wait_, std::nullopt);
}

void Patience::Note(const std::string& reason, double seconds) {
  MutexLock lock(mutex_);
  if (!wait_) wait_ = Wait{.reason = reason};
  wait_->seconds += seconds;
}

void Patience::Stop() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  wake_.notify_all();
}

absl::Status Patience::RetryTransient(const std::function<absl::Status()>& call,
                                      const std::function<int64_t()>& progress) {
  SteadyClock::time_point last_progress = SteadyClock::now();
  int64_t furthest = progress();
  milliseconds pause = kFirstPause;
  RoomWait room(*this);
  while (true) {
    const absl::Status status = call();
    if (!IsPassing(status) || stop_.stop_requested()) return status;
    room.Note(status);
    if (progress() > furthest) {
      furthest = progress();
      last_progress = SteadyClock::now();
      pause = kFirstPause;
    }
    if (SteadyClock::now() - last_progress > kPatience) return status;
    log::Warn("trying the step again",
              {{"run", std::to_string(run_.value)}, {"error", status.ToString()}});
    if (!Pause(pause)) return status;
    pause = std::min(2 * pause, kLongestPause);
  }
}

bool Patience::Pause(milliseconds length) {
  MutexLock lock(mutex_);
  const std::stop_token stop = stop_.get_token();
  wake_.wait_for(mutex_, length, [&] { return stop.stop_requested(); });
  return !stop.stop_requested();
}

}  // namespace tidemill::supervisor

#include "trainer_server/training/watchdog.h"

#include <algorithm>
#include <utility>

namespace tidemill::trainer_server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLongestLook{1000};

std::chrono::milliseconds LookEvery(std::chrono::microseconds limit) {
  const auto tenth = std::chrono::duration_cast<std::chrono::milliseconds>(limit / 10);
  return std::clamp(tenth, std::chrono::milliseconds(1), kLongestLook);
}

}  // namespace

Watchdog::Watchdog(std::chrono::microseconds limit, std::function<void()> expire,
                   std::function<bool()> is_excused)
    : limit_(limit),
      expire_(std::move(expire)),
      is_excused_(std::move(is_excused)),
      last_(Clock::now().time_since_epoch().count()),
      task_("watchdog", LookEvery(limit), [this] {
        if (is_excused_ && is_excused_()) Progress();
        const Clock::time_point last{Clock::duration(last_.load())};
        if (Clock::now() - last > limit_ && !has_expired_.exchange(true)) expire_();
        return absl::OkStatus();
      }) {}

void Watchdog::Progress() { last_.store(Clock::now().time_since_epoch().count()); }

}  // namespace tidemill::trainer_server

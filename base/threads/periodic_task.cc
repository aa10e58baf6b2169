#include "base/threads/periodic_task.h"

#include <utility>

#include "base/logs/log.h"

namespace tidemill {

PeriodicTask::PeriodicTask(std::string name, std::chrono::milliseconds interval,
                           std::function<absl::Status()> step)
    : name_(std::move(name)),
      interval_(interval),
      step_(std::move(step)),
      thread_([this](const std::stop_token& stop) { Loop(stop); }) {}

void PeriodicTask::Loop(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (const absl::Status status = step_(); !status.ok()) {
      log::Warn("periodic step failed", {{"task", name_}, {"error", status.ToString()}});
    }
    MutexLock lock(mutex_);
    wake_.wait_for(mutex_, stop, interval_, [] { return false; });
  }
}

}  // namespace tidemill

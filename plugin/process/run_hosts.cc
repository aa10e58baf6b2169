#include "plugin/process/run_hosts.h"

#include <algorithm>
#include <utility>

namespace tidemill::plugin {
namespace {

// A training that takes longer than this does not notice the start of a process.
constexpr std::chrono::minutes kLongestIdle{5};
constexpr std::chrono::milliseconds kLookEvery{30'000};
constexpr size_t kMostRuns = 8;

bool IsSame(const HostedPlugin& a, const HostedPlugin& b) {
  return a.kind == b.kind && a.use == b.use && a.settings.python == b.settings.python &&
         a.settings.sandbox == b.settings.sandbox;
}

}  // namespace

std::optional<LoadedHost> RunHosts::Take(const HostedPlugin& plugin) {
  std::optional<LoadedHost> found;
  {
    const MutexLock lock(mutex_);
    const auto at =
        std::ranges::find_if(left_, [&](const Left& left) { return IsSame(left.plugin, plugin); });
    if (at == left_.end()) return std::nullopt;
    found = std::move(at->host);
    left_.erase(at);
  }
  if (found->process->IsWaiting()) return found;
  NoteDeath({.plugin = plugin.use.use, .what = "its process ended while it had nothing to do"});
  return std::nullopt;
}

void RunHosts::Leave(const HostedPlugin& plugin, LoadedHost host) {
  const MutexLock lock(mutex_);
  left_.push_back({plugin, std::move(host)});
}

void RunHosts::NoteStart() {
  const MutexLock lock(mutex_);
  ++num_started_;
}

void RunHosts::NoteDeath(HostDeath death) {
  const MutexLock lock(mutex_);
  deaths_.push_back(std::move(death));
}

int64_t RunHosts::num_started() const {
  const MutexLock lock(mutex_);
  return num_started_;
}

std::vector<HostDeath> RunHosts::TakeDeaths() {
  const MutexLock lock(mutex_);
  return std::exchange(deaths_, {});
}

HostsOfRuns::HostsOfRuns()
    : ending_("end_idle_plugins", kLookEvery, [this]() -> absl::Status {
        EndIdle();
        return absl::OkStatus();
      }) {}

std::shared_ptr<RunHosts> HostsOfRuns::Of(int64_t run) {
  // Ending a process takes a moment: not below the lock.
  std::shared_ptr<RunHosts> too_many;
  const MutexLock lock(mutex_);
  Kept& kept = runs_[run];
  if (kept.hosts == nullptr) kept.hosts = std::make_shared<RunHosts>();
  kept.asked_for = Clock::now();
  std::shared_ptr<RunHosts> hosts = kept.hosts;
  if (runs_.size() > kMostRuns) {
    const auto oldest = std::ranges::min_element(
        runs_, {}, [](const auto& entry) { return entry.second.asked_for; });
    too_many = std::move(oldest->second.hosts);
    runs_.erase(oldest);
  }
  return hosts;
}

void HostsOfRuns::Forget(int64_t run) {
  std::shared_ptr<RunHosts> forgotten;
  const MutexLock lock(mutex_);
  const auto at = runs_.find(run);
  if (at == runs_.end()) return;
  forgotten = std::move(at->second.hosts);
  runs_.erase(at);
}

size_t HostsOfRuns::num_runs() const {
  const MutexLock lock(mutex_);
  return runs_.size();
}

void HostsOfRuns::EndIdle() {
  std::vector<std::shared_ptr<RunHosts>> idle;
  const MutexLock lock(mutex_);
  const Clock::time_point oldest = Clock::now() - kLongestIdle;
  for (auto at = runs_.begin(); at != runs_.end();) {
    if (at->second.asked_for >= oldest) {
      ++at;
      continue;
    }
    idle.push_back(std::move(at->second.hosts));
    at = runs_.erase(at);
  }
}

}  // namespace tidemill::plugin

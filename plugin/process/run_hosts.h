// The processes of a run's plug-ins between two uses. A run asks a plug-in at each of its triggers,
// and starting a process takes longer than most answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/threads/periodic_task.h"
#include "plugin/process/description.h"
#include "plugin/process/host_process.h"
#include "plugin/spec/host_settings.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {

// A process that has loaded its plug-in.
struct LoadedHost {
  std::unique_ptr<HostProcess> process;
  Description description;
};

// The program of a process, and how it is run. Two instances with equal values may use the same
// process, one after the other.
struct HostedPlugin {
  PluginUse use;
  std::string kind;
  HostSettings settings;
};

// The death of a process that another one has replaced.
struct HostDeath {
  std::string plugin;
  std::string what;
};

// Belongs to one run, so that no run sees what the plug-in of another has left in its process. The
// processes that it holds end with it. Thread-safe.
class RunHosts {
 public:
  // Returns a process that was left, or std::nullopt when none is there that still runs.
  std::optional<LoadedHost> Take(const HostedPlugin& plugin);
  // Keeps a process for the next instance.
  void Leave(const HostedPlugin& plugin, LoadedHost host);

  // Notes that a process was started, and that one died.
  void NoteStart();
  void NoteDeath(HostDeath death);
  int64_t num_started() const;
  // Returns the deaths since the last call.
  std::vector<HostDeath> TakeDeaths();

 private:
  struct Left {
    HostedPlugin plugin;
    LoadedHost host;
  };

  mutable Mutex mutex_;
  std::vector<Left> left_ ABSL_GUARDED_BY(mutex_);
  std::vector<HostDeath> deaths_ ABSL_GUARDED_BY(mutex_);
  int64_t num_started_ ABSL_GUARDED_BY(mutex_) = 0;
};

// The processes of many runs, for a service that is not told when a run ends. It keeps those of the
// runs that were asked for last, for some minutes. Thread-safe.
class HostsOfRuns {
 public:
  HostsOfRuns();

  // Valid as long as the caller holds it.
  std::shared_ptr<RunHosts> Of(int64_t run) ABSL_LOCKS_EXCLUDED(mutex_);
  void Forget(int64_t run) ABSL_LOCKS_EXCLUDED(mutex_);
  size_t num_runs() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    std::shared_ptr<RunHosts> hosts;
    Clock::time_point asked_for;
  };

  void EndIdle() ABSL_LOCKS_EXCLUDED(mutex_);

  mutable Mutex mutex_;
  std::map<int64_t, Kept> runs_ ABSL_GUARDED_BY(mutex_);
  PeriodicTask ending_;
};

}  // namespace tidemill::plugin

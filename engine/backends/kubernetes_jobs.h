// What `kubectl get jobs,pods --output json` reports about the processes of a group.
//
//   Job, no pod                             waiting
//   Job, suspend: true                      waiting "Suspended: ...", in a queue of Kueue
//   Job, pod Pending, PodScheduled: False   waiting "Unschedulable: 0/3 nodes are available: ..."
//   Job, pod Pending, a container waits     waiting "ImagePullBackOff"
//   Job, pod Running                        running
//   Job with a deletionTimestamp            ending
//   Job, condition Complete or Failed       ended "exit code 1", "OOMKilled", "Evicted"
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "engine/engine.h"

namespace tidemill::engine {

// The label of Jobs and pods with the number of the process.
inline constexpr char kNumberLabel[] = "tidemill/number";

struct KubernetesJob {
  // What is known while it has not ended.
  Started started = {};
  // How it ended; empty while it has not.
  std::string how = {};
};

// By number; Jobs and pods without the label are passed over. UNAVAILABLE when `text` is not what
// kubectl prints.
absl::StatusOr<std::map<int64_t, KubernetesJob>> ReadJobs(const std::string& text);

}  // namespace tidemill::engine

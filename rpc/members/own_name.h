// The names under which this process registers where there are many like it.
#pragma once

#include <string>

namespace tidemill::rpc {

// The variable in which an engine tells a process its group and number, "workers/3".
inline constexpr char kMemberVariable[] = "TIDEMILL_MEMBER";

// Returns the name of what this process runs in: a job of Slurm ("slurm-17_3"), else the host,
// which is the pod in Kubernetes and the container elsewhere. A service that has several processes
// of one name adds numbers.
std::string OwnHost();

// The variable in which an engine tells a process how many processors it has.
inline constexpr char kProcessorsVariable[] = "TIDEMILL_PROCESSORS";

// Returns the number of processors for this process: that of the variable, else those of the host.
int OwnProcessors();

// Returns the name of this host.
std::string HostName();

// Returns the value of kMemberVariable; empty for a process that no engine has started.
std::string StartedAs();

}  // namespace tidemill::rpc

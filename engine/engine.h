// Starts and ends processes of a stack as they are needed: preprocessing workers, trainer servers,
// evaluators. What an engine stands for owns processes: this host, Slurm, Kubernetes, or a
// program of the user. Tidemill owns what they do: order, leases, checkpoints.
//
//   Reconciler                     Engine                    elsewhere
//   want 3: 1, 2, 3   --Start(3)-->  sbatch, fork, ...  -->  process 3 --registers as "workers/3"
//   have 1, 2         <--List()----  squeue, waitpid    <--  1 runs, 2 waits ("Resources")
//                     --End(2)---->  scancel, kill      -->  SIGTERM
//
// An engine keeps nothing that another one of the same settings could not find out: a service that
// starts again finds the processes that its predecessor has started. It may lose any process at any
// time; leases make up for that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::engine {

// What one process needs. 0 leaves it to the engine.
struct Resources {
  int processors = 0;
  int64_t memory_bytes = 0;
  int gpus = 0;
};

// Processes of one kind in one stack.
struct Group {
  // "workers", "trainers", "evaluators".
  std::string name;
  // The program and its arguments. A process finds its group and number, "workers/3", in the
  // variable rpc::kMemberVariable, and repeats it when it registers.
  std::vector<std::string> command;
  Resources resources = {};
};

// Returns "workers/3".
std::string MemberOf(const Group& group, int64_t number);

// Returns 3 for "workers/3". std::nullopt unless it is of that group.
std::optional<int64_t> NumberOf(const std::string& member, const std::string& group);

enum class Phase {
  kWaiting,  // In the engine's queue, or about to start.
  kRunning,
  kEnding,  // It was told to end.
};

// A process that was started and has not ended.
struct Started {
  // From 1. No two processes of a group that have not ended have one number.
  int64_t number = 0;
  Phase phase = Phase::kWaiting;
  // What the engine calls it: "4711", "17_3", "workers-3-x7x2f".
  std::string id = {};
  // The engine's reason why it waits: "Resources", "ImagePullBackOff".
  std::string reason = {};
  // The host on which it runs.
  std::string host = {};
  // Since when it is in this phase, if the engine says so.
  std::optional<Timestamp> since = {};
};

// How a process ended, as far as an engine remembers.
struct Ended {
  int64_t number = 0;
  std::string id = {};
  // "exit code 1", "PREEMPTED", "OOMKilled".
  std::string how = {};
};

// One of these is used by one thread at a time.
class Engine {
 public:
  virtual ~Engine() = default;

  // Returns the processes of a group that have not ended, by number. UNAVAILABLE while the engine
  // does not answer; nothing is known then.
  virtual absl::StatusOr<std::vector<Started>> List(const Group& group) = 0;

  // Starts processes with these numbers, except those that have not ended: a repeated call does
  // nothing twice. Returns as soon as the engine has accepted them.
  virtual absl::Status Start(const Group& group, std::span<const int64_t> numbers) = 0;

  // Tells a process to end, by SIGTERM and, after a time, SIGKILL. Takes one that waits out of the
  // queue. OK for one that has ended.
  virtual absl::Status End(const Group& group, const Started& process) = 0;

  // Returns the processes that ended since the last call, if the engine remembers them.
  virtual std::vector<Ended> TakeEnded(const Group& /*group*/) { return {}; }
};

}  // namespace tidemill::engine

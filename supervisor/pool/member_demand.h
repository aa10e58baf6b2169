// How many trainer servers or evaluators an engine should run: one for each job that runs or waits,
// and those for a while that have just finished one.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>

#include "engine/engine_config.h"
#include "engine/reconciler.h"

namespace tidemill::supervisor {

// Thread-compatible. It depends on nothing but its inputs.
class MemberDemand {
 public:
  using Clock = std::chrono::steady_clock;

  explicit MemberDemand(const engine::MembersConfig& config) : config_(config) {}

  // Returns the number that is wanted, with `waiting` jobs that have no slot and the members that
  // the engine has started.
  int64_t Wanted(Clock::time_point now, int64_t waiting,
                 std::span<const engine::KnownMember> members);

 private:
  const engine::MembersConfig config_;
  std::map<int64_t, Clock::time_point> busy_at_;  // By number: when it last had a job.
};

}  // namespace tidemill::supervisor

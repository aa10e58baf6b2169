#include "supervisor/pool/member_demand.h"

#include <algorithm>

namespace tidemill::supervisor {

int64_t MemberDemand::Wanted(Clock::time_point now, int64_t waiting,
                             std::span<const engine::KnownMember> members) {
  const std::chrono::microseconds idle(config_.idle.micros);
  std::map<int64_t, Clock::time_point> busy_at;
  int64_t num_busy = 0;
  int64_t num_kept = 0;
  for (const engine::KnownMember& member : members) {
    if (member.draining) continue;
    // One that has just registered may be what a job waits for.
    const auto known = busy_at_.find(member.number);
    const Clock::time_point last = member.busy || known == busy_at_.end() ? now : known->second;
    busy_at[member.number] = last;
    num_busy += member.busy ? 1 : 0;
    num_kept += now - last < idle ? 1 : 0;
  }
  busy_at_ = std::move(busy_at);
  return std::clamp<int64_t>(std::max(num_busy + waiting, num_kept), config_.least, config_.most);
}

}  // namespace tidemill::supervisor

// Decides which waiting job gets which slots.
//
//   waiting:  priority, then the pipeline that has used least for its share, then the oldest
//               |
//               v  first job that fits; one that needs several slots keeps them free for itself
//   members:  labels, device --> the one that served the run last, else the one with most free
//
// A pipeline has used the seconds of its slots divided by its share. A job that runs counts for a
// minute at least. A pipeline that comes back after a pause has used at least as much as the one of
// those present that has used least, so it cannot live on what it left unused. This is the virtual
// time of the completely fair scheduler (Linux, Documentation/scheduler/sched-design-CFS.rst), with
// jobs that are never interrupted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "supervisor/pool/placement.h"

namespace tidemill::supervisor {

// The order depends on nothing but the calls and their times. Thread-compatible.
class SlotQueue {
 public:
  // `members` must outlive this object.
  explicit SlotQueue(const PoolMembers& members) : members_(members) {}

  // Sets what a pipeline has used, as UsedAfter() and Add() have returned it.
  void SetUsed(PipelineId pipeline, double seconds) { used_[pipeline.value] = seconds; }

  // Adds a placement that waits, or that has slots. Returns what its pipeline has used by then. One
  // that waits gets nothing before MarkAwaited().
  double Add(Placement placement, Timestamp now);
  // A caller waits for the placement.
  void MarkAwaited(int64_t placement_id) { awaited_.insert(placement_id); }
  void Leave(int64_t placement_id) { awaited_.erase(placement_id); }

  // Returns the placement that is served next, with its slots, or std::nullopt. Give() makes it so.
  std::optional<Placement> Next(Timestamp now) const;
  void Give(int64_t placement_id, Grant grant);
  // Returns what the pipeline of a placement will have used when that ends now.
  double UsedAfter(const Placement& placement, Timestamp now) const;
  // Removes a placement.
  void End(int64_t placement_id, Timestamp now);

  const Placement* Find(int64_t placement_id) const;
  const Placement* FindJob(const JobKey& job) const;
  // By id.
  const std::map<int64_t, Placement>& placements() const { return placements_; }

  // Returns the placements that wait, the next one first.
  std::vector<const Placement*> Waiting(Timestamp now) const;
  // Returns why a placement waits, in words that follow "waits".
  std::string WhyItWaits(const Placement& placement, Timestamp now) const;

 private:
  // The slots that no placement holds, by member and device.
  using Room = std::map<int64_t, std::map<std::string, int>>;

  // Returns what each pipeline that has a placement has used, with what runs.
  std::map<int64_t, double> UsedByPresent(Timestamp now) const;
  static double SecondsOf(const Placement& placement, Timestamp now);
  Room FreeSlots() const;
  // A device that two members offer is one device.
  void TakeFromOthers(int64_t holder, const std::string& device, Room& room) const;
  // Whether a member may serve the request, apart from whether its slots are free.
  static bool MayServe(const PoolMember& member, const SlotRequest& request);
  // Returns the device for "auto", or the device that was asked for.
  std::string DeviceOf(const SlotRequest& request) const;
  // Returns the slots for the request, or std::nullopt. The slots that it reserves are then removed
  // from `room`.
  std::optional<Grant> FindRoom(const SlotRequest& request, Room& room) const;

  const PoolMembers& members_;
  std::map<int64_t, double> used_;
  std::map<int64_t, Placement> placements_;
  std::set<int64_t> awaited_;
  std::map<int64_t, int64_t> last_member_;  // By run.
};

}  // namespace tidemill::supervisor

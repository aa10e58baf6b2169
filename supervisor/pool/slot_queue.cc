#include "supervisor/pool/slot_queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"

namespace tidemill::supervisor {
namespace {

constexpr char kAuto[] = "auto";
constexpr char kCpu[] = "cpu";
constexpr char kCuda[] = "cuda";
// The least time for which a running job counts. Otherwise a pipeline that asks for many slots at
// once would get them all, because none has used anything yet.
constexpr double kLeastSeconds = 60;

// Whether a slot's device is what was asked for.
bool IsOf(const std::string& device, const std::string& asked) {
  return device == asked || (asked == kCuda && absl::StartsWith(device, "cuda:"));
}

bool HasLabels(const v1::MemberOffer& offer, const std::map<std::string, std::string>& labels) {
  return std::ranges::all_of(labels, [&](const auto& label) {
    const auto it = offer.labels().find(label.first);
    return it != offer.labels().end() && it->second == label.second;
  });
}

std::string LabelsText(const std::map<std::string, std::string>& labels) {
  return absl::StrJoin(labels, ", ", absl::PairFormatter(": "));
}

const char* NameOf(v1::MemberKind kind) {
  return kind == v1::MEMBER_KIND_EVALUATOR ? "evaluator" : "trainer server";
}

// Takes up to `wanted` slots of a device from a member's free ones.
std::vector<std::string> Take(std::map<std::string, int>& free, const std::string& asked,
                              int wanted) {
  std::vector<std::string> taken;
  for (auto& [device, count] : free) {
    while (IsOf(device, asked) && count > 0 && static_cast<int>(taken.size()) < wanted) {
      taken.push_back(device);
      --count;
    }
  }
  return taken;
}

std::map<std::string, int> SlotsOf(const PoolMember& member) {
  std::map<std::string, int> slots;
  for (const v1::SlotOffer& slot : member.offer.slots()) slots[slot.device()] += slot.count();
  return slots;
}

// The id of a device that a member offers.
std::string IdOf(const PoolMember& member, const std::string& device) {
  const auto it = std::ranges::find(member.offer.slots(), device, &v1::SlotOffer::device);
  return it == member.offer.slots().end() ? "" : it->id();
}

int CountOf(const std::map<std::string, int>& slots, const std::string& asked) {
  int count = 0;
  for (const auto& [device, number] : slots) count += IsOf(device, asked) ? number : 0;
  return count;
}

}  // namespace

double SlotQueue::SecondsOf(const Placement& placement, Timestamp now) {
  if (!placement.grant) return 0;
  constexpr double kMicrosPerSecond = 1e6;
  const auto length =
      static_cast<double>(now.micros - placement.grant->given_at.micros) / kMicrosPerSecond;
  return std::max(0.0, length) * placement.request.num_slots / placement.request.share;
}

std::map<int64_t, double> SlotQueue::UsedByPresent(Timestamp now) const {
  std::map<int64_t, double> used;
  for (const auto& [id, placement] : placements_) {
    const int64_t pipeline = placement.request.pipeline.value;
    const auto ended = used_.find(pipeline);
    double& seconds =
        used.try_emplace(pipeline, ended == used_.end() ? 0 : ended->second).first->second;
    if (!placement.grant) continue;
    const double least = kLeastSeconds * placement.request.num_slots / placement.request.share;
    seconds += std::max(least, SecondsOf(placement, now));
  }
  return used;
}

double SlotQueue::Add(Placement placement, Timestamp now) {
  const int64_t pipeline = placement.request.pipeline.value;
  double& used = used_[pipeline];
  const std::map<int64_t, double> present = UsedByPresent(now);
  if (!present.empty() && !present.contains(pipeline)) {
    const auto least =
        std::ranges::min_element(present, {}, [](const auto& entry) { return entry.second; });
    used = std::max(used, least->second);
  }
  if (placement.grant) {
    last_member_[placement.request.job.run] = placement.grant->member.member_id;
  }
  placements_[placement.id] = std::move(placement);
  return used;
}

const Placement* SlotQueue::Find(int64_t placement_id) const {
  const auto it = placements_.find(placement_id);
  return it == placements_.end() ? nullptr : &it->second;
}

const Placement* SlotQueue::FindJob(const JobKey& job) const {
  const auto it = std::ranges::find_if(
      placements_, [&](const auto& entry) { return entry.second.request.job == job; });
  return it == placements_.end() ? nullptr : &it->second;
}

void SlotQueue::Give(int64_t placement_id, Grant grant) {
  Placement& placement = placements_.at(placement_id);
  last_member_[placement.request.job.run] = grant.member.member_id;
  placement.grant = std::move(grant);
}

double SlotQueue::UsedAfter(const Placement& placement, Timestamp now) const {
  const auto it = used_.find(placement.request.pipeline.value);
  return (it == used_.end() ? 0 : it->second) + SecondsOf(placement, now);
}

void SlotQueue::End(int64_t placement_id, Timestamp now) {
  const auto it = placements_.find(placement_id);
  if (it == placements_.end()) return;
  used_[it->second.request.pipeline.value] = UsedAfter(it->second, now);
  placements_.erase(it);
  awaited_.erase(placement_id);
}

std::vector<const Placement*> SlotQueue::Waiting(Timestamp now) const {
  const std::map<int64_t, double> used = UsedByPresent(now);
  std::vector<const Placement*> waiting;
  for (const auto& [id, placement] : placements_) {
    if (!placement.grant) waiting.push_back(&placement);
  }
  std::ranges::sort(waiting, {}, [&](const Placement* placement) {
    const SlotRequest& request = placement->request;
    return std::tuple(-request.priority, used.at(request.pipeline.value), placement->id);
  });
  return waiting;
}

SlotQueue::Room SlotQueue::FreeSlots() const {
  Room room;
  for (const auto& [id, member] : members_.all()) room[id] = SlotsOf(member);
  for (const auto& [id, placement] : placements_) {
    if (!placement.grant || !members_.IsAlive(placement.grant->member)) continue;
    const int64_t holder = placement.grant->member.member_id;
    for (const std::string& device : placement.grant->devices) {
      --room[holder][device];
      TakeFromOthers(holder, device, room);
    }
  }
  return room;
}

void SlotQueue::TakeFromOthers(int64_t holder, const std::string& device, Room& room) const {
  const std::string taken = IdOf(*members_.Find(holder), device);
  if (taken.empty()) return;
  for (const auto& [id, member] : members_.all()) {
    if (id == holder) continue;
    for (const v1::SlotOffer& slot : member.offer.slots()) {
      if (slot.id() == taken) --room[id][slot.device()];
    }
  }
}

bool SlotQueue::MayServe(const PoolMember& member, const SlotRequest& request) {
  return member.kind == request.kind && member.takes_work() &&
         HasLabels(member.offer, request.labels);
}

std::string SlotQueue::DeviceOf(const SlotRequest& request) const {
  if (request.device != kAuto) return request.device;
  const bool has_gpu = std::ranges::any_of(members_.all(), [&](const auto& entry) {
    const PoolMember& member = entry.second;
    return MayServe(member, request) && CountOf(SlotsOf(member), kCuda) >= request.num_slots;
  });
  return has_gpu ? kCuda : kCpu;
}

std::optional<Grant> SlotQueue::FindRoom(const SlotRequest& request, Room& room) const {
  const std::string device = DeviceOf(request);
  const auto last = last_member_.find(request.job.run);
  std::map<std::string, int>* best = nullptr;
  int64_t best_id = 0;
  int best_free = 0;
  for (auto& [id, free] : room) {
    if (!MayServe(*members_.Find(id), request)) continue;
    const int count = CountOf(free, device);
    const bool served_last = last != last_member_.end() && last->second == id;
    if (count < request.num_slots || (count <= best_free && !served_last)) continue;
    best = &free;
    best_id = id;
    best_free = count;
    if (served_last) break;
  }
  if (best != nullptr) {
    return Grant{.member = members_.Find(best_id)->incarnation,
                 .devices = Take(*best, device, request.num_slots),
                 .given_at = {}};
  }
  if (request.num_slots > 1) {
    for (auto& [id, free] : room) {
      if (MayServe(*members_.Find(id), request)) Take(free, device, request.num_slots);
    }
  }
  return std::nullopt;
}

std::optional<Placement> SlotQueue::Next(Timestamp now) const {
  Room room = FreeSlots();
  for (const Placement* const placement : Waiting(now)) {
    if (!awaited_.contains(placement->id)) continue;
    std::optional<Grant> grant = FindRoom(placement->request, room);
    if (!grant) continue;
    Placement next = *placement;
    next.grant = *std::move(grant);
    next.grant->given_at = now;
    return next;
  }
  return std::nullopt;
}

std::string SlotQueue::WhyItWaits(const Placement& placement, Timestamp now) const {
  const SlotRequest& request = placement.request;
  const std::string device = DeviceOf(request);
  const char* const kind = NameOf(request.kind);
  int most = 0;
  bool is_there = false;
  bool fits_labels = false;
  for (const auto& [id, member] : members_.all()) {
    is_there = is_there || (member.kind == request.kind && member.takes_work());
    if (!MayServe(member, request)) continue;
    fits_labels = true;
    most = std::max(most, CountOf(SlotsOf(member), device));
  }
  if (!is_there) return fmt::format("for a {}; none is registered that takes work", kind);
  if (!fits_labels)
    return fmt::format("for a {} with {}; none has it", kind, LabelsText(request.labels));
  if (most < request.num_slots) {
    return fmt::format("for {} slots of {} on one {}; none offers more than {}", request.num_slots,
                       device, kind, most);
  }
  const std::vector<const Placement*> waiting = Waiting(now);
  const auto before = std::ranges::find(waiting, &placement) - waiting.begin();
  if (before == 0) return fmt::format("for a slot of {}; all are taken", device);
  return fmt::format("for a slot of {}; all are taken, and {} {} before it", device, before,
                     before == 1 ? "job is" : "jobs are");
}

}  // namespace tidemill::supervisor

#include "engine/reconciler.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tidemill::engine {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

// A process that is neither ending nor draining.
struct Serving {
  size_t process = kNone;
  size_t member = kNone;  // kNone until it has registered.
  int rank = 0;           // The lowest go first.
  int64_t number = 0;
};

int RankOf(const Started& process, const KnownMember* member) {
  if (process.phase == Phase::kWaiting) return 0;
  if (member == nullptr) return 1;
  return member->busy ? 3 : 2;
}

std::map<int64_t, size_t> ByNumber(std::span<const KnownMember> members) {
  std::map<int64_t, size_t> by_number;
  for (size_t i = 0; i < members.size(); ++i) by_number[members[i].number] = i;
  return by_number;
}

std::vector<int64_t> LowestFree(std::span<const Started> started, int64_t count) {
  std::set<int64_t> taken;
  for (const Started& process : started) taken.insert(process.number);
  std::vector<int64_t> free;
  for (int64_t number = 1; static_cast<int64_t>(free.size()) < count; ++number) {
    if (!taken.contains(number)) free.push_back(number);
  }
  return free;
}

}  // namespace

Steps PlanSteps(int64_t wanted, Surplus surplus, std::span<const Started> started,
                std::span<const KnownMember> members) {
  const std::map<int64_t, size_t> by_number = ByNumber(members);
  Steps steps;
  std::vector<Serving> serving;
  for (size_t i = 0; i < started.size(); ++i) {
    const Started& process = started[i];
    if (process.phase == Phase::kEnding) continue;
    const auto it = by_number.find(process.number);
    const KnownMember* const member = it == by_number.end() ? nullptr : &members[it->second];
    if (member != nullptr && member->draining) {
      if (!member->busy) steps.end.push_back(i);
      continue;
    }
    serving.push_back({.process = i,
                       .member = member == nullptr ? kNone : it->second,
                       .rank = RankOf(process, member),
                       .number = process.number});
  }
  const int64_t surplus_count = static_cast<int64_t>(serving.size()) - wanted;
  if (surplus_count < 0) {
    steps.start = LowestFree(started, -surplus_count);
    return steps;
  }
  std::sort(serving.begin(), serving.end(), [](const Serving& one, const Serving& other) {
    return std::tuple(one.rank, -one.number) < std::tuple(other.rank, -other.number);
  });
  for (const Serving& each : std::span(serving).first(static_cast<size_t>(surplus_count))) {
    if (surplus == Surplus::kIdle && each.rank == 3) break;
    if (each.member == kNone) {
      steps.end.push_back(each.process);
    } else {
      steps.drain.push_back(each.member);
    }
  }
  return steps;
}

}  // namespace tidemill::engine

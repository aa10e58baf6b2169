// The processes that serve a service: who is there, who drains, and who is lost. The dispatcher
// keeps its workers with it, and the supervisor its trainer servers and evaluators.
//
//   register --> alive --drain--> draining
//                  |                 |
//                  `--silent, bad ---+--> lost --forgotten after a while
//
// A member that registers again begins a new incarnation, whatever it was before.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace tidemill::rpc {

// One life of a member, from a registration to the next.
struct Incarnation {
  int64_t member_id = 0;
  int64_t number = 0;

  friend auto operator<=>(const Incarnation&, const Incarnation&) = default;
};

struct Member {
  using Clock = std::chrono::steady_clock;

  Incarnation incarnation;
  std::string name = {};
  std::string endpoint = {};
  bool draining = false;
  bool lost = false;
  Clock::time_point last_seen = {};
  // Why it is lost; empty when it was silent.
  std::string lost_because = {};

  bool takes_work() const { return !lost && !draining; }
};

// Returns why a lost member is lost: "was silent for too long".
inline std::string WhyLost(const Member& member) {
  return member.lost_because.empty() ? "was silent for too long" : member.lost_because;
}

// `Known` is what a service knows of a member: a Member, and more. Thread-compatible.
template <typename Known>
class Members {
 public:
  using Clock = Member::Clock;

  // `kind` is what messages call a member: "worker".
  explicit Members(std::string kind) : kind_(std::move(kind)) {}

  // Adds a member, or a new incarnation of it, seen now.
  void Install(Known member, Clock::time_point now) {
    member.last_seen = now;
    const int64_t id = member.incarnation.member_id;
    members_.insert_or_assign(id, std::move(member));
  }

  // Returns the member, and records that it was seen. NOT_FOUND when the incarnation is over or
  // lost.
  absl::StatusOr<Known*> RecordHeartbeat(const Incarnation& incarnation, Clock::time_point now) {
    const auto it = members_.find(incarnation.member_id);
    if (it == members_.end()) return NotFound("{} {} is unknown", kind_, incarnation.member_id);
    Known& member = it->second;
    if (member.incarnation != incarnation) {
      return NotFound("incarnation {} of {} {} has ended, and the {} is at {} now; register again",
                      incarnation.number, kind_, member.name, kind_, member.incarnation.number);
    }
    if (member.lost) {
      return NotFound("{} {} {} and is given up; register again", kind_, member.name,
                      WhyLost(member));
    }
    member.last_seen = now;
    return &member;
  }

  // Returns nullptr when the member is unknown.
  const Known* Find(int64_t member_id) const {
    const auto it = members_.find(member_id);
    return it == members_.end() ? nullptr : &it->second;
  }
  Known* Find(int64_t member_id) {
    const auto it = members_.find(member_id);
    return it == members_.end() ? nullptr : &it->second;
  }

  // Whether the leases of the incarnation are valid.
  bool IsAlive(const Incarnation& incarnation) const {
    const Known* const member = Find(incarnation.member_id);
    return member != nullptr && member->incarnation == incarnation && !member->lost;
  }
  // Whether the incarnation may get work.
  bool TakesWork(const Incarnation& incarnation) const {
    return IsAlive(incarnation) && TakesWork(incarnation.member_id);
  }
  bool TakesWork(int64_t member_id) const {
    const Known* const member = Find(member_id);
    return member != nullptr && member->takes_work();
  }

  // Lets a member take no more work, or take work again. NOT_FOUND when the member is unknown.
  absl::Status Drain(int64_t member_id, bool draining = true) {
    Known* const member = Find(member_id);
    if (member == nullptr) return NotFound("{} {} is unknown", kind_, member_id);
    member->draining = draining;
    return absl::OkStatus();
  }

  // Marks the incarnation as lost. Returns false when it was not alive.
  bool MarkLost(const Incarnation& incarnation, std::string reason) {
    if (!IsAlive(incarnation)) return false;
    Known& member = members_.at(incarnation.member_id);
    member.lost = true;
    member.lost_because = std::move(reason);
    newly_lost_.push_back(incarnation);
    return true;
  }

  // Marks the members as lost that were silent for `timeout`, and returns them.
  std::vector<Incarnation> MarkSilentLost(Clock::time_point now,
                                          std::chrono::microseconds timeout) {
    std::vector<Incarnation> lost;
    for (const auto& [id, member] : members_) {
      if (!member.lost && now - member.last_seen > timeout) lost.push_back(member.incarnation);
    }
    for (const Incarnation& incarnation : lost) MarkLost(incarnation, "");
    return lost;
  }

  // The incarnations that became lost, which is not written yet.
  const std::vector<Incarnation>& newly_lost() const { return newly_lost_; }
  std::vector<Incarnation> TakeNewlyLost() { return std::exchange(newly_lost_, {}); }
  void ReturnNewlyLost(const std::vector<Incarnation>& lost) {
    newly_lost_.insert(newly_lost_.end(), lost.begin(), lost.end());
  }

  // Removes the members that were lost and silent for `kept`, and returns their ids.
  std::vector<int64_t> ForgetLost(Clock::time_point now, std::chrono::microseconds kept) {
    std::vector<int64_t> forgotten;
    std::erase_if(members_, [&](const auto& entry) {
      const Known& member = entry.second;
      if (!member.lost || now - member.last_seen <= kept) return false;
      forgotten.push_back(entry.first);
      return true;
    });
    return forgotten;
  }

  // By id.
  const std::map<int64_t, Known>& all() const { return members_; }

 private:
  const std::string kind_;
  std::map<int64_t, Known> members_;
  std::vector<Incarnation> newly_lost_;
};

}  // namespace tidemill::rpc

// Keeps a trainer server or an evaluator registered with the supervisor.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/threads/periodic_task.h"
#include "supervisor_client/pool_client.h"

namespace tidemill::supervisor {

// Registers, and sends heartbeats. If the supervisor has given up the member, ends the member's
// jobs and registers again. While the supervisor cannot be reached, the jobs continue. Thread-safe.
class Membership {
 public:
  struct Options {
    v1::MemberKind kind = v1::MEMBER_KIND_UNSPECIFIED;
    // The beginning of its name.
    std::string name;
    // Where the supervisor reaches it.
    std::string endpoint;
    v1::MemberOffer offer;
    // The file that remembers the incarnation, so that it stays the same member after a restart.
    std::string file;
  };
  // The member's current work. Called on the thread that sends heartbeats.
  struct Jobs {
    std::function<std::vector<v1::MemberJob>()> list;
    // Ends a job that has lost its slots.
    std::function<void(const v1::MemberJob&)> end;
    // The runs whose files the member keeps. None when this is absent.
    std::function<absl::StatusOr<std::vector<int64_t>>()> kept_runs = {};
    // Removes the files of a run that was deleted while the member was away.
    std::function<absl::Status(int64_t run)> remove = {};
  };

  // Begins at once.
  Membership(rpc::Peer supervisor, Options options, Jobs jobs);
  // Tells the supervisor that the member ends.
  ~Membership();
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

 private:
  absl::Status Step();
  absl::Status Register();
  void RemoveDeleted(const v1::RegisterMemberResponse& registered) const;
  absl::Status Beat();
  v1::BeatRequest NextBeat() const;

  const Options options_;
  const Jobs jobs_;
  std::stop_source stop_;
  PoolClient pool_;
  PoolClient leaving_;  // It is not stopped.
  // These belong to the thread of the beats.
  v1::MemberIncarnation self_;
  bool is_registered_ = false;
  std::string request_id_;               // The registration without an answer.
  std::unique_ptr<PeriodicTask> beats_;  // The last member: it uses all above.
};

}  // namespace tidemill::supervisor

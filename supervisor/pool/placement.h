// A job that waits for slots of a member, or has them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "rpc/members/members.h"
#include "tidemill/supervisor/v1/pool.pb.h"

namespace tidemill::supervisor {

// Names a job of a run. A job has one placement at a time.
struct JobKey {
  int64_t run = 0;
  std::string stage = {};  // "fit", "train" or "evaluate".
  int64_t number = 0;      // A trigger, or an evaluation.

  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

// A trainer server or an evaluator.
struct PoolMember : rpc::Member {
  v1::MemberKind kind = v1::MEMBER_KIND_UNSPECIFIED;
  v1::MemberOffer offer = {};
  // "trainers/3" for the third one that an engine has started.
  std::string started_as = {};
};
using PoolMembers = rpc::Members<PoolMember>;

// What a job asks for.
struct SlotRequest {
  JobKey job;
  PipelineId pipeline;
  v1::MemberKind kind = v1::MEMBER_KIND_TRAINER_SERVER;
  // "fit", "cpu", "cuda", "cuda:1", or "auto": a GPU if a member that may serve the job has one,
  // else the processor.
  std::string device = "auto";
  // All are on one member.
  int num_slots = 1;
  // The member has all of these.
  std::map<std::string, std::string> labels = {};
  int priority = 0;
  double share = 1;
};

// The slots of a job.
struct Grant {
  rpc::Incarnation member;
  std::vector<std::string> devices;  // One for each slot.
  Timestamp given_at;
};

struct Placement {
  // Grows with each request.
  int64_t id = 0;
  SlotRequest request;
  Timestamp asked_at;
  std::optional<Grant> grant;  // While it waits, it has none.
};

}  // namespace tidemill::supervisor

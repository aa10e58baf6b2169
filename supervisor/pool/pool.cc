#include "supervisor/pool/pool.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "google/protobuf/util/time_util.h"

#include "base/logs/log.h"
#include "supervisor/pool/pool_table.h"
#include "supervisor/pool/registration_check.h"

// The states of members and jobs are drawn in pool.h.

namespace tidemill::supervisor {
namespace {

using google::protobuf::util::TimeUtil;

// How long a lost member is shown.
constexpr std::chrono::hours kKeptLost{1};
constexpr int64_t kMaxMembers = 10'000;

rpc::Incarnation IncarnationOf(const v1::MemberIncarnation& incarnation) {
  return {.member_id = incarnation.member_id(), .number = incarnation.incarnation()};
}

v1::MemberIncarnation MessageOf(const rpc::Incarnation& incarnation) {
  v1::MemberIncarnation message;
  message.set_member_id(incarnation.member_id);
  message.set_incarnation(incarnation.number);
  return message;
}

JobKey KeyOf(const v1::MemberJob& job) {
  return {.run = job.run_id(), .stage = job.stage(), .number = job.number()};
}

}  // namespace

Pool::Pool(db::Database& database, Duration member_timeout, PoolClock clock)
    : database_(database),
      member_timeout_(member_timeout),
      clock_(std::move(clock)),
      queue_(members_) {}

absl::StatusOr<std::unique_ptr<Pool>> Pool::Open(db::Database& database, Duration member_timeout,
                                                 PoolClock clock) {
  auto pool = std::unique_ptr<Pool>(new Pool(database, member_timeout, std::move(clock)));
  RETURN_IF_ERROR(pool->Recover());
  return pool;
}

absl::Status Pool::Recover() {
  MutexLock writing(writing_);
  const Timestamp now = clock_.wall();
  std::vector<PoolMember> members;
  std::vector<Placement> open;
  std::map<int64_t, double> used;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    PoolTable table(work);
    table.EndOfEndedRuns(now);
    members = table.Members();
    open = table.Open();
    used = table.Used();
    return absl::OkStatus();
  }));
  {
    MutexLock lock(mutex_);
    for (PoolMember& member : members) members_.Install(std::move(member), clock_.steady());
    for (const auto& [pipeline, seconds] : used) queue_.SetUsed({pipeline}, seconds);
    for (Placement& placement : open) queue_.Add(std::move(placement), now);
  }
  return EndLeasesOfLost();
}

absl::StatusOr<v1::RegisterMemberResponse> Pool::Register(
    const v1::RegisterMemberRequest& request) {
  RETURN_IF_ERROR(CheckRegistration(request));
  MutexLock writing(writing_);
  {
    MutexLock lock(mutex_);
    if (std::ssize(members_.all()) >= kMaxMembers) {
      return absl::ResourceExhaustedError(
          fmt::format("there are {} members; lost ones are forgotten after an hour", kMaxMembers));
    }
  }
  PoolMember member;
  std::vector<int64_t> deleted;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    PoolTable table(work);
    member = table.Register(request);
    deleted = table.DeletedRuns({request.runs().data(), static_cast<size_t>(request.runs_size())});
    return absl::OkStatus();
  }));
  v1::RegisterMemberResponse response;
  response.mutable_deleted_runs()->Add(deleted.begin(), deleted.end());
  *response.mutable_member() = MessageOf(member.incarnation);
  response.set_name(member.name);
  {
    MutexLock lock(mutex_);
    members_.Install(std::move(member), clock_.steady());
  }
  log::Info("a member has registered",
            {{"name", response.name()}, {"endpoint", request.endpoint()}});
  RETURN_IF_ERROR(EndLeasesOfLost());
  RETURN_IF_ERROR(Serve());
  return response;
}

absl::StatusOr<v1::BeatResponse> Pool::Beat(const v1::BeatRequest& request) {
  const rpc::Incarnation incarnation = IncarnationOf(request.member());
  MutexLock lock(mutex_);
  RETURN_IF_ERROR(members_.RecordHeartbeat(incarnation, clock_.steady()).status());
  v1::BeatResponse response;
  if (request.leaving()) {
    members_.MarkLost(incarnation, "was stopped");
    return response;
  }
  for (const v1::MemberJob& job : request.jobs()) {
    const Placement* const placement = queue_.FindJob(KeyOf(job));
    const bool is_placed =
        placement != nullptr && placement->grant && placement->grant->member == incarnation;
    if (!is_placed) *response.add_ended() = job;
  }
  return response;
}

absl::StatusOr<v1::Member> Pool::Drain(const std::string& name, bool draining) {
  MutexLock writing(writing_);
  int64_t id = 0;
  {
    MutexLock lock(mutex_);
    for (const auto& [member_id, member] : members_.all()) {
      if (member.name == name) id = member_id;
    }
  }
  if (id == 0) return NotFound("no trainer server or evaluator is called {}", name);
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    PoolTable(work).SetDraining(id, draining);
    return absl::OkStatus();
  }));
  v1::Member described;
  {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(members_.Drain(id, draining));
    described = Describe(*members_.Find(id));
  }
  RETURN_IF_ERROR(Serve());
  return described;
}

absl::StatusOr<int64_t> Pool::Ask(const SlotRequest& request) {
  const Timestamp now = clock_.wall();
  {
    MutexLock lock(mutex_);
    if (const Placement* const placement = queue_.FindJob(request.job)) {
      queue_.MarkAwaited(placement->id);
      return placement->id;
    }
  }
  int64_t id = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    id = PoolTable(work).Insert(request, now);
    return absl::OkStatus();
  }));
  double used = 0;
  {
    MutexLock lock(mutex_);
    used = queue_.Add({.id = id, .request = request, .asked_at = now, .grant = {}}, now);
    queue_.MarkAwaited(id);
  }
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    PoolTable(work).SetUsed(request.pipeline, used);
    return absl::OkStatus();
  }));
  return id;
}

absl::Status Pool::Serve() {
  while (true) {
    std::optional<Placement> next;
    std::string member;
    {
      MutexLock lock(mutex_);
      next = queue_.Next(clock_.wall());
      if (!next) return absl::OkStatus();
      member = members_.Find(next->grant->member.member_id)->name;
    }
    RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
      PoolTable(work).Give(*next, member);
      return absl::OkStatus();
    }));
    MutexLock lock(mutex_);
    queue_.Give(next->id, *next->grant);
    changed_.notify_all();
  }
}

Lease Pool::LeaseOf(const Placement& placement) {
  const PoolMember& member = *members_.Find(placement.grant->member.member_id);
  return {.placement_id = placement.id,
          .member_name = member.name,
          .endpoint = member.endpoint,
          .devices = placement.grant->devices,
          .over = leases_[placement.id].get_token()};
}

absl::StatusOr<Lease> Pool::Acquire(const SlotRequest& request, const std::stop_token& stop,
                                    const Waiting& waiting) {
  int64_t id = 0;
  {
    MutexLock writing(writing_);
    RETURN_IF_ERROR(EndLeasesOfLost());
    RETURN_IF_ERROR(EndOthers(request.job, "the run is at its next job"));
    ASSIGN_OR_RETURN(id, Ask(request));
    RETURN_IF_ERROR(Serve());
  }
  while (true) {
    std::string why;
    {
      MutexLock lock(mutex_);
      const Placement* const placement = queue_.Find(id);
      if (placement == nullptr) return Unavailable("the slots were given up while they were asked");
      if (placement->grant) return LeaseOf(*placement);
      if (stop.stop_requested()) {
        queue_.Leave(id);
        return Cancelled("the run does not wait for slots any more");
      }
      why = WhyItWaits(*placement, clock_.wall());
    }
    waiting(why);
    MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, clock_.tell_every, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      const Placement* const now = queue_.Find(id);
      return now == nullptr || now->grant.has_value();
    });
  }
}

absl::Status Pool::End(const std::vector<int64_t>& placements, const std::string& reason) {
  const Timestamp now = clock_.wall();
  for (const int64_t id : placements) {
    Placement placement;
    double used = 0;
    {
      MutexLock lock(mutex_);
      placement = *queue_.Find(id);
      used = queue_.UsedAfter(placement, now);
    }
    RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
      PoolTable table(work);
      table.End(id, now, reason);
      table.SetUsed(placement.request.pipeline, used);
      return absl::OkStatus();
    }));
    MutexLock lock(mutex_);
    queue_.End(id, now);
    const auto lease = leases_.find(id);
    if (lease != leases_.end()) lease->second.request_stop();
    leases_.erase(id);
    changed_.notify_all();
  }
  return absl::OkStatus();
}

absl::Status Pool::Release(const JobKey& job, const std::string& reason) {
  MutexLock writing(writing_);
  std::vector<int64_t> released;
  {
    MutexLock lock(mutex_);
    if (const Placement* const placement = queue_.FindJob(job)) released = {placement->id};
  }
  RETURN_IF_ERROR(End(released, reason));
  return Serve();
}

absl::Status Pool::ReleaseRun(RunId run, const std::string& reason) {
  MutexLock writing(writing_);
  RETURN_IF_ERROR(EndOthers({.run = run.value, .stage = {}}, reason));
  return Serve();
}

absl::Status Pool::EndOthers(const JobKey& kept, const std::string& reason) {
  std::vector<int64_t> others;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, placement] : queue_.placements()) {
      const JobKey& job = placement.request.job;
      if (job.run == kept.run && job != kept) others.push_back(id);
    }
  }
  return End(others, reason);
}

absl::Status Pool::EndLeasesOfLost() {
  std::vector<rpc::Incarnation> lost;
  std::vector<int64_t> over;
  {
    MutexLock lock(mutex_);
    lost = members_.TakeNewlyLost();
    for (const auto& [id, placement] : queue_.placements()) {
      if (placement.grant && !members_.IsAlive(placement.grant->member)) over.push_back(id);
    }
  }
  absl::Status written =
      lost.empty() ? absl::OkStatus() : database_.Transact([&](pqxx::work& work) {
        PoolTable(work).SetLost(lost);
        return absl::OkStatus();
      });
  if (written.ok()) written = End(over, "its member was lost or has started again");
  if (written.ok()) return written;
  MutexLock lock(mutex_);
  members_.ReturnNewlyLost(lost);
  return written;
}

absl::Status Pool::ForgetLost() {
  std::vector<int64_t> forgotten;
  {
    MutexLock lock(mutex_);
    forgotten = members_.ForgetLost(clock_.steady(), kKeptLost);
  }
  if (forgotten.empty()) return absl::OkStatus();
  return database_.Transact([&](pqxx::work& work) {
    PoolTable(work).Forget(forgotten);
    return absl::OkStatus();
  });
}

absl::Status Pool::Tick() {
  MutexLock writing(writing_);
  {
    MutexLock lock(mutex_);
    for (const rpc::Incarnation& lost : members_.MarkSilentLost(
             clock_.steady(), std::chrono::microseconds(member_timeout_.micros))) {
      log::Warn("a member is lost", {{"name", members_.Find(lost.member_id)->name}});
    }
  }
  RETURN_IF_ERROR(EndLeasesOfLost());
  RETURN_IF_ERROR(ForgetLost());
  return Serve();
}

std::optional<std::string> Pool::PlaceOf(const JobKey& job) {
  MutexLock lock(mutex_);
  const Placement* const placement = queue_.FindJob(job);
  if (placement == nullptr || !placement->grant) return std::nullopt;
  const PoolMember* const member = members_.Find(placement->grant->member.member_id);
  return member == nullptr ? std::nullopt : std::optional(member->endpoint);
}

std::vector<std::string> Pool::TrainerEndpoints() {
  MutexLock lock(mutex_);
  std::vector<std::string> endpoints;
  for (const auto& [id, member] : members_.all()) {
    if (member.kind == v1::MEMBER_KIND_TRAINER_SERVER && !member.lost) {
      endpoints.push_back(member.endpoint);
    }
  }
  return endpoints;
}

std::vector<engine::KnownMember> Pool::StartedMembers(const std::string& group) {
  MutexLock lock(mutex_);
  std::set<int64_t> busy;
  for (const auto& [id, placement] : queue_.placements()) {
    if (placement.grant) busy.insert(placement.grant->member.member_id);
  }
  std::vector<engine::KnownMember> members;
  for (const auto& [id, member] : members_.all()) {
    const auto number = engine::NumberOf(member.started_as, group);
    if (!number || member.lost) continue;
    members.push_back({.number = *number,
                       .id = id,
                       .name = member.name,
                       .draining = member.draining,
                       .busy = busy.contains(id)});
  }
  return members;
}

int64_t Pool::CountWaiting(v1::MemberKind kind) {
  MutexLock lock(mutex_);
  return std::ranges::count_if(queue_.placements(), [&](const auto& entry) {
    return !entry.second.grant && entry.second.request.kind == kind;
  });
}

void Pool::SetNote(v1::MemberKind kind, const std::string& note) {
  MutexLock lock(mutex_);
  notes_[kind] = note;
}

std::string Pool::WhyItWaits(const Placement& placement, Timestamp now) const {
  std::string why = queue_.WhyItWaits(placement, now);
  const auto note = notes_.find(placement.request.kind);
  if (note == notes_.end() || note->second.empty()) return why;
  return fmt::format("{} ({})", why, note->second);
}

v1::Member Pool::Describe(const PoolMember& member) const {
  v1::Member described;
  *described.mutable_incarnation() = MessageOf(member.incarnation);
  described.set_name(member.name);
  described.set_endpoint(member.endpoint);
  described.set_state(member.lost       ? v1::MEMBER_STATE_LOST
                      : member.draining ? v1::MEMBER_STATE_DRAINING
                                        : v1::MEMBER_STATE_ALIVE);
  if (member.lost) described.set_lost_because(rpc::WhyLost(member));
  described.set_kind(member.kind);
  *described.mutable_offer() = member.offer;
  described.set_started_as(member.started_as);
  const auto silent =
      std::chrono::duration_cast<std::chrono::microseconds>(clock_.steady() - member.last_seen);
  *described.mutable_last_seen() =
      TimeUtil::MicrosecondsToTimestamp(clock_.wall().micros - silent.count());
  return described;
}

v1::Placement Pool::Describe(const Placement& placement, Timestamp now) const {
  const SlotRequest& request = placement.request;
  v1::Placement described;
  described.set_placement_id(placement.id);
  described.mutable_job()->set_run_id(request.job.run);
  described.mutable_job()->set_stage(request.job.stage);
  described.mutable_job()->set_number(request.job.number);
  described.set_pipeline_id(request.pipeline.value);
  described.set_priority(request.priority);
  described.set_share(request.share);
  described.set_device(request.device);
  described.set_num_slots(request.num_slots);
  described.mutable_labels()->insert(request.labels.begin(), request.labels.end());
  *described.mutable_asked_at() = TimeUtil::MicrosecondsToTimestamp(placement.asked_at.micros);
  if (!placement.grant) {
    described.set_waits_for(WhyItWaits(placement, now));
    return described;
  }
  const PoolMember* const member = members_.Find(placement.grant->member.member_id);
  if (member != nullptr) described.set_member_name(member->name);
  described.set_slots(absl::StrJoin(placement.grant->devices, ","));
  *described.mutable_given_at() =
      TimeUtil::MicrosecondsToTimestamp(placement.grant->given_at.micros);
  return described;
}

absl::StatusOr<v1::ListPlacementsResponse> Pool::ListPlacements(RunId run) {
  constexpr int kMost = 10'000;
  v1::ListPlacementsResponse response;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    response.Clear();
    for (auto& placement : PoolTable(work).OfRun(run, kMost)) {
      *response.add_placements() = std::move(placement);
    }
    return absl::OkStatus();
  }));
  return response;
}

v1::GetPoolResponse Pool::Get() {
  const Timestamp now = clock_.wall();
  v1::GetPoolResponse response;
  MutexLock lock(mutex_);
  for (const auto& [id, member] : members_.all()) *response.add_members() = Describe(member);
  std::ranges::sort(*response.mutable_members(), {}, &v1::Member::name);
  for (const auto& [id, placement] : queue_.placements()) {
    if (placement.grant) *response.add_running() = Describe(placement, now);
  }
  for (const Placement* const placement : queue_.Waiting(now)) {
    *response.add_waiting() = Describe(*placement, now);
  }
  return response;
}

}  // namespace tidemill::supervisor

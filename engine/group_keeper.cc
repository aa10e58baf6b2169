#include "engine/group_keeper.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/logs/log.h"

namespace tidemill::engine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInterval{500};
constexpr std::chrono::seconds kLongestPause{60};

rpc::v1::EnginePhase PhaseOf(Phase phase) {
  switch (phase) {
    case Phase::kWaiting:
      return rpc::v1::ENGINE_PHASE_WAITING;
    case Phase::kRunning:
      return rpc::v1::ENGINE_PHASE_RUNNING;
    case Phase::kEnding:
      return rpc::v1::ENGINE_PHASE_ENDING;
  }
  return rpc::v1::ENGINE_PHASE_UNSPECIFIED;
}

rpc::v1::EngineProcess Describe(const Started& process, const std::string& member) {
  rpc::v1::EngineProcess described;
  described.set_number(process.number);
  described.set_phase(PhaseOf(process.phase));
  described.set_id(process.id);
  described.set_reason(process.reason);
  described.set_host(process.host);
  if (process.since) {
    described.mutable_since()->set_seconds(process.since->micros / 1'000'000);
    described.mutable_since()->set_nanos(
        static_cast<int32_t>(process.since->micros % 1'000'000 * 1'000));
  }
  described.set_member(member);
  return described;
}

}  // namespace

GroupKeeper::GroupKeeper(BackendSpec backend, Stack stack, Group group, GroupService service)
    : backend_(std::move(backend)),
      stack_(std::move(stack)),
      group_(std::move(group)),
      service_(std::move(service)) {
  described_.set_name(group_.name);
  described_.set_backend(std::string(backend_.type()));
  steps_ = std::make_unique<PeriodicTask>("engine." + group_.name, kInterval, [this] {
    NoteError(Step());
    return absl::OkStatus();
  });
}

rpc::v1::EngineGroup GroupKeeper::Describe() const {
  MutexLock lock(mutex_);
  return described_;
}

absl::Status GroupKeeper::Step() {
  if (engine_ == nullptr) {
    ASSIGN_OR_RETURN(engine_, backend_->Open(stack_));
  }
  const int64_t wanted = service_.wanted();
  {
    MutexLock lock(mutex_);
    described_.set_wanted(wanted);  // Also while the engine does not answer.
  }
  ASSIGN_OR_RETURN(const std::vector<Started> started, engine_->List(group_));
  const std::vector<KnownMember> members = service_.members();
  NoteEnded(members);
  {
    std::map<int64_t, std::string> names;
    for (const KnownMember& member : members) names[member.number] = member.name;
    MutexLock lock(mutex_);
    described_.clear_processes();
    for (const Started& process : started) {
      *described_.add_processes() = engine::Describe(process, names[process.number]);
    }
  }
  return Carry(PlanSteps(wanted, service_.surplus, started, members), started, members);
}

absl::Status GroupKeeper::Carry(const Steps& steps, const std::vector<Started>& started,
                                const std::vector<KnownMember>& members) {
  for (const size_t i : steps.drain) {
    log::Info("is to take no more work, and to end", {{"member", members[i].name}});
    RETURN_IF_ERROR(service_.drain(members[i]));
  }
  for (const size_t i : steps.end) {
    log::Info("ending a process",
              {{"member", MemberOf(group_, started[i].number)}, {"id", started[i].id}});
    RETURN_IF_ERROR(engine_->End(group_, started[i]));
  }
  if (steps.start.empty() || !MayStart()) return absl::OkStatus();
  log::Info("starting processes", {{"group", group_.name},
                                   {"first", std::to_string(steps.start.front())},
                                   {"count", std::to_string(steps.start.size())}});
  return engine_->Start(group_, steps.start);
}

bool GroupKeeper::MayStart() const { return Clock::now() >= start_at_; }

void GroupKeeper::NoteEnded(const std::vector<KnownMember>& members) {
  if (!members.empty()) num_failed_ = 0;
  for (const Ended& ended : engine_->TakeEnded(group_)) {
    log::Info("a process has ended",
              {{"member", MemberOf(group_, ended.number)}, {"id", ended.id}, {"how", ended.how}});
    {
      MutexLock lock(mutex_);
      described_.set_last_end(fmt::format("{}: {}", ended.id, ended.how));
    }
    if (!members.empty() || ended.how == "exit code 0") continue;
    const auto pause = std::chrono::seconds(int64_t{1} << std::min(num_failed_, 6));
    start_at_ = Clock::now() + std::min<std::chrono::seconds>(pause, kLongestPause);
    ++num_failed_;
  }
}

void GroupKeeper::NoteError(const absl::Status& status) {
  const std::string error(status.message());
  MutexLock lock(mutex_);
  if (described_.error() == error) return;
  described_.set_error(error);
  if (status.ok()) {
    log::Info("the engine answers again", {{"group", group_.name}});
  } else {
    log::Warn("the engine does not do what it should; it is asked again",
              {{"group", group_.name}, {"error", error}});
  }
}

}  // namespace tidemill::engine

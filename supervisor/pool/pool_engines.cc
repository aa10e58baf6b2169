#include "supervisor/pool/pool_engines.h"

#include <utility>

#include "base/files.h"
#include "base/process/program_folder.h"

namespace tidemill::supervisor {
namespace {

constexpr std::chrono::milliseconds kNoteInterval{1'000};

}  // namespace

std::string NoteOf(const rpc::v1::EngineGroup& group) {
  if (!group.error().empty()) return fmt::format("{}: {}", group.backend(), group.error());
  int num_waiting = 0;
  std::string reason;
  for (const rpc::v1::EngineProcess& process : group.processes()) {
    if (process.phase() != rpc::v1::ENGINE_PHASE_WAITING) continue;
    ++num_waiting;
    if (reason.empty()) reason = fmt::format("{} {}", process.id(), process.reason());
  }
  if (num_waiting > 0) {
    return fmt::format("{}: {} in its queue, {}", group.backend(), num_waiting, reason);
  }
  if (group.wanted() > group.processes_size() && !group.last_end().empty()) {
    return fmt::format("{}: the last process ended, {}", group.backend(), group.last_end());
  }
  return "";
}

void PoolEngines::Keep(v1::MemberKind kind, const engine::MembersConfig& members,
                       const engine::BackendSpec& backend, const engine::Stack& stack,
                       engine::Group group) {
  Kept& kept = kept_.emplace_back();
  kept.kind = kind;
  kept.demand = std::make_unique<MemberDemand>(members);
  const std::string name = group.name;
  kept.keeper = std::make_unique<engine::GroupKeeper>(
      backend, stack, std::move(group),
      engine::GroupService{.wanted =
                               [&pool = pool_, demand = kept.demand.get(), kind, name] {
                                 return demand->Wanted(MemberDemand::Clock::now(),
                                                       pool.CountWaiting(kind),
                                                       pool.StartedMembers(name));
                               },
                           .members = [&pool = pool_, name] { return pool.StartedMembers(name); },
                           .drain =
                               [&pool = pool_](const engine::KnownMember& member) {
                                 return pool.Drain(member.name, /*draining=*/true).status();
                               },
                           .surplus = engine::Surplus::kIdle});
}

absl::StatusOr<std::unique_ptr<PoolEngines>> PoolEngines::Start(const engine::EngineConfig& config,
                                                                const rpc::ServiceContext& context,
                                                                Pool& pool) {
  ASSIGN_OR_RETURN(const std::string programs, process::ProgramFolder());
  const std::string& state_folder = context.cluster.state_folder;
  const engine::Stack stack{.name = config.stack, .folder = files::Join(state_folder, "engine")};
  const std::string members_config =
      engine::ConfigOfMembers(context.config_name, state_folder, !context.cluster.network.empty());
  RETURN_IF_ERROR(files::CreateFolder(stack.folder));
  std::unique_ptr<PoolEngines> engines(new PoolEngines(pool));
  const auto keep = [&](v1::MemberKind kind, const engine::MembersConfig& members,
                        const std::string& name, const std::string& program) {
    if (members.most == 0) return;
    engines->Keep(
        kind, members, config.backend, stack,
        {.name = name,
         .command = engine::CommandOf(files::Join(programs, program), members, members_config),
         .resources = members.ToResources()});
  };
  keep(v1::MEMBER_KIND_TRAINER_SERVER, config.trainers, "trainers", "tidemill-trainer-server");
  keep(v1::MEMBER_KIND_EVALUATOR, config.evaluators, "evaluators", "tidemill-evaluator");
  engines->notes_ = std::make_unique<PeriodicTask>("supervisor.engine_notes", kNoteInterval,
                                                   [&engines = *engines] {
                                                     engines.TellWaiting();
                                                     return absl::OkStatus();
                                                   });
  return engines;
}

std::vector<rpc::v1::EngineGroup> PoolEngines::Describe() const {
  std::vector<rpc::v1::EngineGroup> groups;
  for (const Kept& kept : kept_) groups.push_back(kept.keeper->Describe());
  return groups;
}

void PoolEngines::TellWaiting() const {
  for (const Kept& kept : kept_) pool_.SetNote(kept.kind, NoteOf(kept.keeper->Describe()));
}

}  // namespace tidemill::supervisor

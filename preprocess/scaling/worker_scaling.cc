#include "preprocess/scaling/worker_scaling.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "google/protobuf/util/time_util.h"

#include "base/files.h"
#include "base/logs/log.h"
#include "base/process/program_folder.h"
#include "preprocess/scaling/scaling_table.h"

namespace tidemill::preprocess {
namespace {

using google::protobuf::util::TimeUtil;

constexpr std::chrono::milliseconds kInterval{1'000};
constexpr char kGroup[] = "workers";

v1::ScalingDecision MessageOf(const DemandChange& change) {
  v1::ScalingDecision decision;
  *decision.mutable_at() = TimeUtil::MicrosecondsToTimestamp(Now().micros);
  decision.set_before(change.before);
  decision.set_wanted(change.wanted);
  decision.set_threads_per_worker(change.threads_per_worker);
  decision.set_reason(change.reason);
  for (const JobDemand& job : change.jobs) {
    v1::JobNeed& need = *decision.add_jobs();
    need.set_job_id(job.job_id);
    need.set_name(job.name);
    need.set_batches_per_second(job.batches_per_second);
    need.set_seconds_per_batch(job.seconds_per_batch);
    need.set_wait_share(job.wait_share);
    need.set_threads(job.threads);
  }
  return decision;
}

DemandLimits LimitsOf(const engine::WorkersConfig& config) {
  return {.least = config.least,
          .most = config.most,
          .cost = config.cost,
          .settle = std::chrono::microseconds(config.settle.micros)};
}

int Processors() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

WorkerScaling::WorkerScaling(ScaledWorkers workers, db::Database& database,
                             const engine::WorkersConfig& config, int64_t wanted)
    : workers_(std::move(workers)),
      database_(database),
      config_(config),
      demand_(LimitsOf(config), wanted) {}

absl::StatusOr<std::unique_ptr<WorkerScaling>> WorkerScaling::Start(
    ScaledWorkers workers, db::Database& database, const engine::WorkersConfig& config,
    std::optional<WorkerEngine> engine) {
  std::vector<v1::ScalingDecision> last;
  RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) {
    last = ScalingTable(work).List(1);
    return absl::OkStatus();
  }));
  const int64_t wanted = last.empty() ? config.least : last[0].wanted();
  std::unique_ptr<WorkerScaling> scaling(
      new WorkerScaling(std::move(workers), database, config, wanted));
  if (engine) {
    scaling->keeper_ = std::make_unique<engine::GroupKeeper>(
        std::move(engine->backend), std::move(engine->stack), std::move(engine->group),
        engine::GroupService{
            .wanted = [&scaling = *scaling] { return scaling.wanted(); },
            .members = [&scaling = *scaling] { return scaling.workers_.members(kGroup); },
            .drain =
                [&scaling = *scaling](const engine::KnownMember& member) {
                  return scaling.workers_.drain(member.id);
                },
            .surplus = engine::Surplus::kAny});
  }
  if (!config.FixedScale()) {
    scaling->steps_ = std::make_unique<PeriodicTask>(
        "worker-scaling", kInterval, [&scaling = *scaling] { return scaling.Step(); });
  }
  return scaling;
}

int64_t WorkerScaling::wanted() const {
  if (const auto fixed = config_.FixedScale()) return *fixed;
  MutexLock lock(mutex_);
  return demand_.wanted();
}

std::optional<rpc::v1::EngineGroup> WorkerScaling::DescribeEngine() const {
  if (keeper_ == nullptr) return std::nullopt;
  return keeper_->Describe();
}

absl::StatusOr<std::vector<v1::ScalingDecision>> WorkerScaling::Decisions(int most) {
  std::vector<v1::ScalingDecision> decisions;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    decisions = ScalingTable(work).List(most);
    return absl::OkStatus();
  }));
  return decisions;
}

absl::Status WorkerScaling::Step() {
  const std::vector<JobTotals> jobs = workers_.jobs();
  const double started = config_.processors > 0 ? config_.processors : Processors();
  const double threads = workers_.threads_per_worker().value_or(started);
  std::optional<DemandChange> change;
  {
    MutexLock lock(mutex_);
    change = demand_.Observe(WorkerDemand::Clock::now(), jobs, threads);
  }
  return change ? Record(*change) : absl::OkStatus();
}

absl::Status WorkerScaling::Record(const DemandChange& change) {
  log::Info("another number of workers is wanted", {{"before", std::to_string(change.before)},
                                                    {"wanted", std::to_string(change.wanted)},
                                                    {"reason", change.reason}});
  return database_.Transact([&](pqxx::work& work) {
    ScalingTable(work).Add(MessageOf(change));
    return absl::OkStatus();
  });
}

absl::StatusOr<std::optional<WorkerEngine>> WorkerEngineOf(const rpc::ServiceContext& context,
                                                           engine::WorkersConfig& config) {
  if (!engine::HasEngine(context.config_text)) return std::nullopt;
  ASSIGN_OR_RETURN(const auto section, config::ReadSection<engine::EngineConfig>(
                                           context.config_text, context.config_name, "engine"));
  const std::string& state_folder = context.cluster.state_folder;
  config = section.workers;
  if (section.backend.type() == "local") {
    if (config.processors == 0) config.processors = 1;
    config.most = std::clamp(Processors() / config.processors, config.least, config.most);
  }
  ASSIGN_OR_RETURN(const std::string programs, process::ProgramFolder());
  WorkerEngine engine{
      .backend = section.backend,
      .stack = {.name = section.stack, .folder = files::Join(state_folder, "engine")},
      .group = {.name = kGroup, .command = {}, .resources = config.ToResources()}};
  RETURN_IF_ERROR(files::CreateFolder(engine.stack.folder));
  engine.group.command = engine::CommandOf(
      files::Join(programs, "tidemill-preprocess-worker"), config,
      engine::ConfigOfMembers(context.config_name, state_folder, !context.cluster.network.empty()));
  return engine;
}

}  // namespace tidemill::preprocess

#include "evaluator/evaluator_server.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/process/program_folder.h"
#include "config/config.h"
#include "db/database.h"
#include "devices/devices.h"
#include "devices/slots.h"
#include "evaluator/answers_runner.h"
#include "evaluator/column_files.h"
#include "evaluator/evaluator.h"
#include "evaluator/evaluator_config.h"
#include "evaluator/evaluator_service.h"
#include "evaluator/job_runner.h"
#include "evaluator/model_in_use.h"
#include "evaluator/outcome_summaries.h"
#include "evaluator/pool_member.h"
#include "evaluator/predictors.h"
#include "prepared/prepared_config.h"
#include "rpc/jobs/job_peers.h"

namespace tidemill::evaluator {
namespace {

// The parts of an evaluator. Each member uses those above it.
struct EvaluatorParts {
  std::unique_ptr<devices::Devices> devices;
  std::unique_ptr<db::Database> database;
  std::unique_ptr<EvaluationProcesses> processes;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<ColumnFiles> columns;
  std::unique_ptr<Predictors> predictors;
  std::unique_ptr<OutcomeSummaries> summaries;
};

class EvaluatorServer final : public rpc::RunningService {
 public:
  EvaluatorServer(EvaluatorParts parts, EvaluatorService::ModelInUse model_in_use,
                  const rpc::ServiceContext& context, const EvaluatorConfig& config,
                  std::string folder)
      : context_(context),
        config_(config),
        folder_(std::move(folder)),
        parts_(std::move(parts)),
        service_({*parts_.evaluator, *parts_.columns, *parts_.predictors, *parts_.summaries,
                  std::move(model_in_use)},
                 context.cluster.streams) {}

  std::vector<grpc::Service*> Faces() override { return {&service_}; }
  absl::Status Started(const std::string& endpoint) override {
    ASSIGN_OR_RETURN(membership_, JoinPool(context_, config_, folder_, *parts_.devices, endpoint,
                                           *parts_.evaluator));
    return absl::OkStatus();
  }
  void Stopping() override {
    membership_.reset();
    parts_.evaluator->Stop();
    parts_.columns->Stop();
    parts_.predictors->Stop();
  }

 private:
  const rpc::ServiceContext context_;
  const EvaluatorConfig config_;
  const std::string folder_;
  const EvaluatorParts parts_;
  EvaluatorService service_;
  std::unique_ptr<supervisor::Membership> membership_;
};

v1::PreparedStore StoreOf(const prepared::HostStoreOptions& options) {
  v1::PreparedStore store;
  store.set_memory_folder(options.memory_folder);
  store.set_memory_bytes(options.memory_bytes);
  store.set_disk_folder(options.disk_folder);
  store.set_disk_bytes(options.disk_bytes);
  return store;
}

int NumThreads(const EvaluatorConfig& config) {
  if (config.threads) return *config.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / config.jobs);
}

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartEvaluator(
    const rpc::ServiceContext& context) {
  ASSIGN_OR_RETURN(auto config, config::ReadSection<EvaluatorConfig>(
                                    context.config_text, context.config_name, "evaluator"));
  // Trainings side by side have evaluations side by side, as far as there are processors.
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  config.jobs = std::max(config.jobs, std::min(devices::TrainingsAtOnce(1), cores));
  ASSIGN_OR_RETURN(const auto prepared, config::ReadSection<prepared::PreparedConfig>(
                                            context.config_text, context.config_name, "prepared"));
  ASSIGN_OR_RETURN(rpc::v1::Endpoints endpoints,
                   rpc::EndpointsFor(context, {"storage", "model_store"}, {"preprocess"}));
  ASSIGN_OR_RETURN(const std::string programs, process::ProgramFolder());
  ASSIGN_OR_RETURN(const std::string folder, context.FolderOf("evaluator"));
  ASSIGN_OR_RETURN(
      auto processes,
      EvaluationProcesses::Start(
          files::Join(programs, "tidemill-evaluate"), files::Join(folder, "jobs"),
          {.endpoints = std::move(endpoints),
           .tokens = context.tokens,
           .num_threads = NumThreads(config),
           .model_bytes = config.model_memory.bytes / config.jobs,
           .prepared = StoreOf(prepared::OptionsOf(prepared, context.cluster.state_folder))}));
  ASSIGN_OR_RETURN(const std::string connection, context.Database());
  ASSIGN_OR_RETURN(auto database, db::Database::Connect(connection));
  ASSIGN_OR_RETURN(auto devices, devices::FindDevices());
  ASSIGN_OR_RETURN(auto evaluator,
                   Evaluator::Open(*database, {*devices, config.jobs, config.gpu_slots},
                                   [&runner = *processes](const JobKey&, const auto&... arguments) {
                                     return runner.Run(arguments...);
                                   }));
  RETURN_IF_ERROR(
      Annotate(evaluator->slots().Check(config.answers_device), "evaluator.answers_device"));
  const AnswersRunner answers(*processes, evaluator->slots(), config.answers_device);
  ASSIGN_OR_RETURN(
      auto columns,
      ColumnFiles::Open(*database,
                        {.folder = files::Join(folder, "columns"),
                         .max_bytes = config.columns_bytes.bytes,
                         .num_jobs = config.jobs},
                        [answers](const v1::EvaluationJob& job, const std::stop_token& stop) {
                          return answers.Run(
                              job, [](const v1::JobReport&) { return absl::OkStatus(); }, stop);
                        }));
  const std::string sockets = files::Join(folder, "predictors");
  RETURN_IF_ERROR(files::Remove(sockets));  // Left by an earlier process.
  RETURN_IF_ERROR(files::CreateFolder(sockets));
  auto predictors = std::make_unique<Predictors>(
      PredictorsOptions{.folder = sockets, .max_processes = config.predictors},
      [answers](const auto&... arguments) { return answers.Run(arguments...); });
  ASSIGN_OR_RETURN(auto model_in_use, ModelsInUse(context));
  auto summaries = std::make_unique<OutcomeSummaries>(*database);
  EvaluatorParts parts{.devices = std::move(devices),
                       .database = std::move(database),
                       .processes = std::move(processes),
                       .evaluator = std::move(evaluator),
                       .columns = std::move(columns),
                       .predictors = std::move(predictors),
                       .summaries = std::move(summaries)};
  return std::make_unique<EvaluatorServer>(std::move(parts), std::move(model_in_use), context,
                                           config, folder);
}

}  // namespace tidemill::evaluator

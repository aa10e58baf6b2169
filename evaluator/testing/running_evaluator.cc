#include "evaluator/testing/running_evaluator.h"

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "evaluator/answers_runner.h"

namespace tidemill::evaluator::testing {

std::string ColumnsFolder(const Cluster& cluster) {
  return files::Join(cluster.folder(), "columns");
}

RunningEvaluator::RunningEvaluator(Cluster& cluster, const Options& options)
    : cluster_(cluster), devices_(*devices::PretendDevices(options.devices)) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  setenv("TIDEMILL_FAILPOINTS", options.failpoints, 1);
  processes_ = *EvaluationProcesses::Start((self.parent_path() / "tidemill-evaluate").string(),
                                           files::Join(cluster.folder(), "jobs"),
                                           {.endpoints = cluster.endpoints(),
                                            .tokens = cluster.tokens(),
                                            .num_threads = options.num_threads});
  unsetenv("TIDEMILL_FAILPOINTS");
  evaluator_ = *Evaluator::Open(
      cluster.database(), {*devices_},
      [this](const JobKey&, const auto&... arguments) { return processes_->Run(arguments...); });
  const AnswersRunner answers(*processes_, evaluator_->slots(), options.answers_device);
  columns_ = *ColumnFiles::Open(
      cluster.database(), {.folder = ColumnsFolder(cluster), .max_bytes = options.columns_bytes},
      [answers](const v1::EvaluationJob& job, const std::stop_token& stop) {
        return answers.Run(
            job, [](const v1::JobReport&) { return absl::OkStatus(); }, stop);
      });
  predictors_ = std::make_unique<Predictors>(
      PredictorsOptions{.folder = cluster.folder(),
                        .max_processes = options.max_predictors,
                        .longest_wait = options.longest_wait},
      [answers](const auto&... arguments) { return answers.Run(arguments...); });
  summaries_ = std::make_unique<OutcomeSummaries>(cluster.database());
  service_ = std::make_unique<EvaluatorService>(
      EvaluatorService::Cores{*evaluator_, *columns_, *predictors_, *summaries_,
                              options.model_in_use},
      rpc::StreamLimits());
  server_ = *rpc::Server::Start({.listen = "unix:" + files::Join(cluster.folder(), "evaluator")},
                                cluster.tokens(), {service_.get()});
  client_ = std::make_unique<EvaluatorClient>(peer());
}

RunningEvaluator::~RunningEvaluator() {
  evaluator_->Stop();
  columns_->Stop();
  predictors_->Stop();
}

rpc::Peer RunningEvaluator::peer() const {
  return {.endpoint = server_->endpoint(),
          .token = *cluster_.tokens().TokenOf(rpc::v1::ROLE_SERVICE)};
}

}  // namespace tidemill::evaluator::testing

#include "evaluator/job_runner.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>
#include <utility>

#include "google/protobuf/util/json_util.h"

#include "base/disk_full.h"
#include "base/files.h"
#include "base/process/zygote.h"
#include "base/usage/account.h"
#include "devices/owned_device.h"
#include "rpc/usage/usage_message.h"

namespace tidemill::evaluator {
namespace {

// A token is sent in a header of a few kilobytes.
constexpr size_t kMaxNamedModels = 64;

rpc::v1::JobClaims ClaimsOf(const v1::StartEvaluationRequest& request,
                            const v1::EvaluationJob& job) {
  rpc::v1::JobClaims claims;
  claims.set_holder(
      fmt::format("evaluation-{}-{}", request.command().run_id(), request.evaluation()));
  claims.set_run_id(request.command().run_id());
  claims.add_dataset_ids(request.snapshot().dataset_id());
  std::set<int64_t> models(request.model_ids().begin(), request.model_ids().end());
  for (const v1::JobWindow& window : job.windows()) {
    models.insert(window.window().model_ids().begin(), window.window().model_ids().end());
  }
  for (const v1::JobWindow& window : job.importance_windows()) {
    models.insert(window.window().model_in_use());
  }
  claims.set_models_of_run(models.size() > kMaxNamedModels);
  if (!claims.models_of_run()) claims.mutable_model_ids()->Add(models.begin(), models.end());
  return claims;
}

// The scope of a job's token: the models that it runs, and the dataset on which it runs them.
rpc::v1::JobClaims ClaimsOf(const v1::EvaluationJob& job) {
  rpc::v1::JobClaims claims;
  switch (job.request_case()) {
    case v1::EvaluationJob::kEvaluation:
      return ClaimsOf(job.evaluation(), job);
    case v1::EvaluationJob::kColumns:
      claims.set_holder(
          fmt::format("columns-{}-{}", job.columns().command().run_id(), job.columns().model_id()));
      claims.set_run_id(job.columns().command().run_id());
      claims.add_dataset_ids(job.columns().dataset_id());
      claims.add_model_ids(job.columns().model_id());
      return claims;
    case v1::EvaluationJob::kPrediction:
      claims.set_holder(fmt::format("prediction-{}", job.prediction().model_id()));
      claims.add_model_ids(job.prediction().model_id());
      return claims;
    case v1::EvaluationJob::REQUEST_NOT_SET:
      break;
  }
  return claims;
}

absl::StatusOr<v1::JobReport> Parse(const std::string& line) {
  v1::JobReport report;
  if (!google::protobuf::util::JsonStringToMessage(line, &report).ok()) {
    return Internal("the job reported \"{}\", which is not a report", line);
  }
  return report;
}

absl::Status FailureOf(const v1::JobReport& report) {
  const auto code = static_cast<absl::StatusCode>(report.failure_code());
  const bool is_final = code != absl::StatusCode::kOk && code != absl::StatusCode::kUnavailable;
  return absl::Status(is_final ? code : absl::StatusCode::kInternal, report.failure());
}

// As bytes, because a million keys are few of them, and without waiting for the disk, which would
// take longer than many a job: a description is not read after a crash.
absl::Status WriteDown(const v1::EvaluationJob& job, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!job.SerializeToOstream(&file) || !file.flush()) {
    const int error = errno;
    const std::string what = fmt::format("cannot write {}: {}", path, std::strerror(error));
    return IsNoRoom(error) ? DiskFull(what) : Internal("{}", what);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<EvaluationProcesses>> EvaluationProcesses::Start(
    const std::string& program, std::string folder, JobSettings settings) {
  RETURN_IF_ERROR(files::Remove(folder));  // Jobs of an earlier life.
  RETURN_IF_ERROR(files::CreateFolder(folder));
  // Between the small steps of a network, threads that wait for one another actively take most of
  // the time of the processors, and all of it from others where these are busy.
  ASSIGN_OR_RETURN(auto zygote, process::Zygote::Start(program, {"OMP_WAIT_POLICY=PASSIVE"}));
  ASSIGN_OR_RETURN(auto tokens,
                   rpc::JobTokens::Open(settings.tokens, files::Join(folder, "tokens")));
  return std::unique_ptr<EvaluationProcesses>(new EvaluationProcesses(
      std::move(zygote), std::move(tokens), std::move(folder), std::move(settings)));
}

EvaluationProcesses::EvaluationProcesses(std::unique_ptr<process::Zygote> zygote,
                                         std::unique_ptr<rpc::JobTokens> tokens, std::string folder,
                                         JobSettings settings)
    : tokens_(std::move(tokens)),
      zygote_(std::move(zygote)),
      folder_(std::move(folder)),
      settings_(std::move(settings)) {}

EvaluationProcesses::~EvaluationProcesses() = default;

absl::Status EvaluationProcesses::Run(v1::EvaluationJob job, const ReportSink& report,
                                      const std::stop_token& stop) {
  *job.mutable_endpoints() = settings_.endpoints;
  job.set_num_threads(settings_.num_threads);
  job.set_model_bytes(settings_.model_bytes);
  *job.mutable_prepared() = settings_.prepared;
  const int64_t number = num_jobs_.fetch_add(1);
  const std::string token = fmt::format("job-{}", number);
  job.mutable_endpoints()->set_token_file(tokens_->PathOf(token));
  ASSIGN_OR_RETURN(const auto issued, tokens_->Issue(token, ClaimsOf(job)));
  const std::string path = files::Join(folder_, fmt::format("{}.job", number));
  RETURN_IF_ERROR(WriteDown(job, path));
  usage::Amounts used;
  const auto sink = [&](const std::string& line) -> absl::Status {
    ASSIGN_OR_RETURN(const v1::JobReport message, Parse(line));
    if (message.has_usage()) used = rpc::FromMessage(message.usage());
    if (message.report_case() == v1::JobReport::REPORT_NOT_SET) return absl::OkStatus();
    if (message.has_failure()) return FailureOf(message);
    if (message.has_interruption()) return Unavailable("{}", message.interruption());
    return report(message);
  };
  const auto mode = devices::NeedsOwnProgram(job.device()) ? process::SpawnMode::kExecute
                                                           : process::SpawnMode::kFork;
  const auto begun = std::chrono::steady_clock::now();
  const auto exit = zygote_->Run({path}, mode, sink, stop);
  used.job_nanos = 0;  // The end of the process has told it.
  if (const auto kind = devices::PricedKindOf(job.device())) {
    const std::chrono::nanoseconds held = std::chrono::steady_clock::now() - begun;
    used.device_nanos[*kind] += held.count();
  }
  usage::Add(used);
  RETURN_IF_ERROR(files::Remove(path));
  RETURN_IF_ERROR(exit.status());
  if (exit->ok()) return absl::OkStatus();
  return absl::AbortedError(fmt::format("the process of the job {}", exit->Describe()));
}

}  // namespace tidemill::evaluator

#include "cli/bench/case_runner.h"

#include <map>
#include <optional>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/bench/comparison_run.h"
#include "cli/bench/run_figures.h"
#include "cli/bench/sweep.h"
#include "cli/bench/work_folder.h"
#include "cli/pipelines/dataset_difference.h"
#include "cli/pipelines/submission.h"
#include "cli/results/left_out.h"
#include "cli/results/run_report.h"
#include "cli/views/watch.h"
#include "rpc/channel.h"
#include "supervisor_client/model_use_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

absl::StatusOr<v1::ListRunsResponse> RunsOf(const Session& session, const std::string& pipeline) {
  return session.Ask(&supervisor::SupervisorClient::ListRuns, pipeline);
}

// A run of the pipeline that a command before this one has begun, preferably one that has
// succeeded, otherwise one that is still running: a command that was killed leaves its run to the
// stack.
absl::StatusOr<std::optional<v1::Run>> BegunRun(const Session& session,
                                                const std::string& pipeline) {
  ASSIGN_OR_RETURN(const v1::ListRunsResponse runs, RunsOf(session, pipeline));
  std::optional<v1::Run> begun;
  for (const v1::Run& run : runs.runs()) {
    if (run.state() == v1::RUN_STATE_SUCCEEDED) return run;
    if (run.state() == v1::RUN_STATE_RUNNING) begun = run;
  }
  return begun;
}

// Waits for the end of a run. CANCELLED when the user has detached from it.
absl::Status Follow(const Session& session, int64_t run) {
  // A line for each of hundreds of triggers would hide what is measured.
  ASSIGN_OR_RETURN(const WatchEnd end, WatchRun(session, run, /*quiet=*/true));
  return end == WatchEnd::kDetached ? Cancelled("detached from run {}", run) : absl::OkStatus();
}

// FAILED_PRECONDITION when a dataset of the user has the name of one of the pipeline's.
absl::Status CheckNamesAreFree(const Session& session, const supervisor::PipelineSpec& pipeline) {
  for (const auto& [name, spec] : pipeline.datasets) {
    if (!spec) continue;
    const std::optional<OtherDataset> other = FindOtherDataset(session, name, *spec);
    if (!other) continue;
    return FailedPrecondition(
        "the stack has another dataset {}: {}; without --state, --config and --server the suite "
        "runs on its own stack",
        name, other->difference);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Submit(const Session& session, BenchStack stack, const std::string& path,
                               int64_t max_triggers) {
  ASSIGN_OR_RETURN(PipelineFile file, ReadPipelineFile(path));
  file.data_elsewhere = session.remote();
  supervisor::DiskFiles files = FilesOf(file);
  const auto checked = CheckPipelineFile(file, files);
  RETURN_IF_ERROR(checked.problems.ToStatus());
  if (stack == BenchStack::kUsers) RETURN_IF_ERROR(CheckNamesAreFree(session, checked.value));
  ASSIGN_OR_RETURN(
      const auto submitted,
      SubmitPipeline(session, file, files, max_triggers,
                     stack == BenchStack::kOwn ? storage::v1::ON_OTHER_SPEC_NEW_VERSION
                                               : storage::v1::ON_OTHER_SPEC_UNSPECIFIED));
  return submitted.run_id();
}

// The source of the regret of policies: the measure, on windows that follow the training.
void KeepForSweep(const SweepSpec& sweep, RunFigures& figures) {
  std::map<int64_t, Timestamp> trained;
  for (const TrainedModel& model : figures.models) trained[model.number] = model.at;
  std::erase_if(figures.table, [&](const results::Row& row) {
    return !results::IsCell(row) || row.measure() != sweep.measure ||
           row.from().event_time() < trained[row.trigger()].micros;
  });
  for (results::Row& row : figures.table) {
    row.clear_sums();
    row.clear_active();
  }
  for (TrainedModel& model : figures.models) model.weights.clear();
}

}  // namespace

absl::StatusOr<int64_t> CaseRunner::RunToEnd(const BenchCase& one,
                                             const NamedPipeline& pipeline) const {
  ASSIGN_OR_RETURN(const std::optional<v1::Run> begun, BegunRun(session_, pipeline.name));
  if (begun) {
    if (begun->state() == v1::RUN_STATE_RUNNING) {
      RETURN_IF_ERROR(Follow(session_, begun->run_id()));
    }
    return begun->run_id();
  }
  ASSIGN_OR_RETURN(const std::string folder, PrepareFolder(*one.entry, work_folder_));
  const std::string path = files::Join(folder, pipeline.name + ".yaml");
  RETURN_IF_ERROR(files::WriteAtomically(path, pipeline.text));
  ASSIGN_OR_RETURN(const int64_t run, Submit(session_, stack_, path, one.max_triggers));
  RETURN_IF_ERROR(Follow(session_, run));
  return run;
}

absl::StatusOr<ordered_json> CaseRunner::Measure(const BenchCase& one) const {
  ASSIGN_OR_RETURN(const NamedPipeline pipeline, PipelineOf(one));
  ASSIGN_OR_RETURN(const int64_t id, RunToEnd(one, pipeline));
  ASSIGN_OR_RETURN(const v1::GetRunResponse run, FetchRun(session_, id));
  if (run.run().state() != v1::RUN_STATE_SUCCEEDED) {
    return FailedPrecondition("run {} of {} has not succeeded: {}", id, pipeline.name,
                              run.run().error().empty() ? "it was stopped" : run.run().error());
  }
  RETURN_IF_ERROR(CheckAllTaken(one, run));
  RunFigures figures = FiguresOf(run);
  if (one.comparison != nullptr) {
    ASSIGN_OR_RETURN(ComparisonRun judged, JudgeRun(*one.comparison, figures));
    judged.seed = one.seed.value_or(0);
    return ordered_json{{"run", ComparisonRunToJson(judged)}};
  }
  if (one.sweep != nullptr) KeepForSweep(*one.sweep, figures);
  ordered_json result = {{"figures", FiguresToJson(figures)}};
  if (one.sweep == nullptr) return result;
  ASSIGN_OR_RETURN(const ordered_json tried,
                   TryPolicies(session_, pipeline.name, id, *one.sweep, one.prices));
  result.update(tried);
  return result;
}

// Figures of a part of the data are not kept, and the run is not asked again.
absl::Status CaseRunner::CheckAllTaken(const BenchCase& one, const v1::GetRunResponse& run) const {
  for (const auto& [name, left_out] : run.left_out()) {
    if (left_out.not_taken().num_files() == 0) continue;
    RETURN_IF_ERROR(Forget(one));
    return FailedPrecondition("{}", DescribeNotTaken(left_out.not_taken(), name));
  }
  return absl::OkStatus();
}

absl::Status CaseRunner::Forget(const BenchCase& one) const {
  ASSIGN_OR_RETURN(const NamedPipeline pipeline, PipelineOf(one));
  ASSIGN_OR_RETURN(const v1::ListRunsResponse runs, RunsOf(session_, pipeline.name));
  for (const v1::Run& run : runs.runs()) {
    // Two commands may have begun the case at once.
    if (run.state() == v1::RUN_STATE_RUNNING) {
      RETURN_IF_ERROR(
          session_.Ask(&supervisor::SupervisorClient::StopRun, RunId{run.run_id()}).status());
      RETURN_IF_ERROR(Follow(session_, run.run_id()));
    }
    RETURN_IF_ERROR(session_.Ask(&supervisor::ModelUseClient::LetNoneAnswer, pipeline.name));
    RETURN_IF_ERROR(
        session_.Ask(&supervisor::SupervisorClient::DeleteRun, RunId{run.run_id()}).status());
  }
  return session_.Ask(&supervisor::SupervisorClient::DeletePipeline, pipeline.name).status();
}

}  // namespace tidemill::cli

#include "cli/bench/case_runner.h"

#include <map>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/bench/run_figures.h"
#include "cli/bench/sweep.h"
#include "cli/bench/work_folder.h"
#include "cli/pipelines/submission.h"
#include "cli/results/run_report.h"
#include "cli/views/watch.h"
#include "rpc/channel.h"
#include "supervisor/client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

absl::StatusOr<v1::ListRunsResponse> RunsOf(const Session& session, const std::string& pipeline) {
  return session.Ask(&supervisor::SupervisorClient::ListRuns, pipeline);
}

// The id of a run of the pipeline that has succeeded; 0 when there is none.
absl::StatusOr<int64_t> SucceededRun(const Session& session, const std::string& pipeline) {
  ASSIGN_OR_RETURN(const v1::ListRunsResponse runs, RunsOf(session, pipeline));
  for (const v1::Run& run : runs.runs()) {
    if (run.state() == v1::RUN_STATE_SUCCEEDED) return run.run_id();
  }
  return 0;
}

absl::StatusOr<int64_t> Submit(const Session& session, const std::string& path,
                               int64_t max_triggers) {
  ASSIGN_OR_RETURN(PipelineFile file, ReadPipelineFile(path));
  file.data_elsewhere = session.remote();
  supervisor::DiskFiles files = FilesOf(file);
  const auto checked = CheckPipelineFile(file, files);
  RETURN_IF_ERROR(checked.problems.ToStatus());
  ASSIGN_OR_RETURN(const auto submitted, SubmitPipeline(session, file, files, max_triggers,
                                                        storage::v1::ON_OTHER_SPEC_UNSPECIFIED));
  return submitted.run_id();
}

// What the regret of policies is computed from: the measure, on windows that follow the training.
void KeepForSweep(const SweepSpec& sweep, RunFigures& figures) {
  std::map<int64_t, Timestamp> trained;
  for (const TrainedModel& model : figures.models) trained[model.number] = model.at;
  std::erase_if(figures.evaluations, [&](const MeasuredWindow& own) {
    return own.measure != sweep.measure || !own.slice.empty() || own.from < trained[own.trigger];
  });
  for (MeasuredWindow& own : figures.evaluations) own.sums.clear();
  figures.baselines.clear();
  figures.active.clear();
}

}  // namespace

absl::StatusOr<int64_t> CaseRunner::RunToEnd(const BenchCase& one,
                                             const NamedPipeline& pipeline) const {
  ASSIGN_OR_RETURN(const int64_t succeeded, SucceededRun(session_, pipeline.name));
  if (succeeded != 0) return succeeded;
  ASSIGN_OR_RETURN(const std::string folder, PrepareFolder(*one.entry, work_folder_));
  const std::string path = files::Join(folder, pipeline.name + ".yaml");
  RETURN_IF_ERROR(files::WriteAtomically(path, pipeline.text));
  ASSIGN_OR_RETURN(const int64_t run, Submit(session_, path, one.max_triggers));
  // A line for each of hundreds of triggers would hide what is measured.
  ASSIGN_OR_RETURN(const WatchEnd end, WatchRun(session_, run, /*quiet=*/true));
  if (end == WatchEnd::kDetached) return Cancelled("detached from run {}", run);
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
  RunFigures figures = FiguresOf(run);
  if (one.sweep != nullptr) KeepForSweep(*one.sweep, figures);
  ordered_json result = {{"figures", FiguresToJson(figures)}};
  if (one.sweep == nullptr) return result;
  ASSIGN_OR_RETURN(const ordered_json tried,
                   TryPolicies(session_, pipeline.name, id, *one.sweep, one.prices));
  result.update(tried);
  return result;
}

absl::Status CaseRunner::Forget(const BenchCase& one) const {
  ASSIGN_OR_RETURN(const NamedPipeline pipeline, PipelineOf(one));
  ASSIGN_OR_RETURN(const v1::ListRunsResponse runs, RunsOf(session_, pipeline.name));
  for (const v1::Run& run : runs.runs()) {
    RETURN_IF_ERROR(
        session_.Ask(&supervisor::SupervisorClient::DeleteRun, RunId{run.run_id()}).status());
  }
  return session_.Ask(&supervisor::SupervisorClient::DeletePipeline, pipeline.name).status();
}

}  // namespace tidemill::cli

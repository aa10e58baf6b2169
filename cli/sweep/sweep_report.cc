#include "cli/sweep/sweep_report.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/results/run_report.h"
#include "cli/run_directory/sweep_page.h"
#include "cli/sweep/best_pipeline.h"
#include "cli/sweep/recorded_sweep.h"
#include "cli/terminal/text.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

// The text of a run's pipeline with the values of the best setting; std::nullopt without one, and
// where the text needs files or variables that only the sweep's command has.
std::optional<std::string> PipelineOfBest(const SweepResult& result, const std::string& text) {
  const std::optional<size_t> best = BestOf(result);
  if (!best) return std::nullopt;
  const PipelineFile file{.name = result.pipeline, .text = text, .data_elsewhere = true};
  const auto written =
      WithValues(file, result.plan.settings()[*best],
                 fmt::format("The best of {} settings in sweep {}: {} {}.", result.settings.size(),
                             result.name, result.measure, Measure(result.settings[*best].value)));
  return written.ok() ? std::optional(written->text) : std::nullopt;
}

}  // namespace

absl::StatusOr<std::optional<std::string>> ReportOfSweep(const Session& session,
                                                         const std::string& name,
                                                         const std::string& measure) {
  supervisor::v1::ListRunsRequest request;
  request.set_sweep(name);
  ASSIGN_OR_RETURN(const auto listed,
                   session.Ask(&supervisor::SupervisorClient::FindRuns, request));
  if (listed.runs().empty()) return std::optional<std::string>();
  RecordedSweep recorded(name, measure);
  std::string text;
  for (const supervisor::v1::Run& run : listed.runs()) {
    ASSIGN_OR_RETURN(const auto full, FetchRun(session, run.run_id()));
    recorded.Add(full);
    text = full.pipeline_text();
  }
  ASSIGN_OR_RETURN(const SweepResult result, recorded.Finish());
  if (result.measure.empty() && !measure.empty()) {
    return InvalidArgument("no run of sweep {} has a value of {}", name, measure);
  }
  nlohmann::ordered_json json = SweepToJson(result);
  const auto best = PipelineOfBest(result, text);
  json["best_pipeline"] = best ? nlohmann::ordered_json(*best) : nullptr;
  return std::optional(SweepPage(json));
}

}  // namespace tidemill::cli

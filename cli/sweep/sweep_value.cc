#include "cli/sweep/sweep_value.h"

#include <algorithm>

#include "cli/results/run_measures.h"
#include "results/model_value.h"
#include "results/rows.h"

namespace tidemill::cli {
namespace {

using supervisor::v1::GetRunResponse;

std::vector<WindowValue> WindowsOf(const results::Rows& rows) {
  std::vector<WindowValue> windows;
  for (const results::Row* row : rows) {
    if (!row->has_value()) continue;
    windows.push_back({.from = row->from().event_time(),
                       .to = row->to().event_time(),
                       .trigger = row->trigger(),
                       .value = row->value()});
  }
  return windows;
}

}  // namespace

std::optional<SweepValue> ValueOf(const GetRunResponse& run, const std::string& measure) {
  const auto found =
      results::ValueOfModels(run.results(), measure, [&](const results::Measured& measured) {
        return PluginMeasureOf(run, measured.evaluation, measured.measure);
      });
  if (!found) return std::nullopt;
  SweepValue value{.dataset = found->measured.dataset,
                   .measure = found->measured.measure,
                   .value = *found->models.Mean(),
                   .interval = found->models.Interval(),
                   .num_samples = found->models.num_samples(),
                   .lower_is_better = found->models.LowerIsBetter(),
                   .is_of_last_model = found->is_of_last_model,
                   .windows = WindowsOf(found->models.rows())};
  if (found->rule) {
    value.baseline = found->rule->value;
    value.baseline_name = found->rule->name;
  }
  return value;
}

std::vector<std::string> MeasuresOf(const supervisor::PipelineSpec& pipeline) {
  std::vector<std::string> names;
  for (const evaluator::EvaluationSpec& evaluation : pipeline.evaluation) {
    for (const evaluator::MeasureSpec& measure : evaluation.measures) {
      const std::string name = measure->Name();
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

}  // namespace tidemill::cli

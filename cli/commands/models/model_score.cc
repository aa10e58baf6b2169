#include "cli/commands/models/model_score.h"

#include "cli/results/run_measures.h"
#include "results/model_value.h"

namespace tidemill::cli {

std::optional<ModelScore> ScoreOfModel(const supervisor::v1::GetRunResponse& run, int64_t trigger) {
  const auto found =
      results::ValueOfModel(run.results(), trigger, [&](const results::Measured& measured) {
        return PluginMeasureOf(run, measured.evaluation, measured.measure);
      });
  if (!found) return std::nullopt;
  ModelScore score{.dataset = found->measured.dataset,
                   .measure = found->measured.measure,
                   .value = *found->models.Mean()};
  if (found->rule) {
    score.baseline = found->rule->value;
    score.baseline_name = found->rule->name;
  }
  return score;
}

}  // namespace tidemill::cli

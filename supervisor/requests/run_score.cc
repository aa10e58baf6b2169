#include "supervisor/requests/run_score.h"

#include "results/model_value.h"

namespace tidemill::supervisor {

std::optional<v1::RunScore> ScoreOf(const v1::GetRunResponse& run) {
  const auto found = results::ValueOfModels(run.results());
  if (!found) return std::nullopt;
  v1::RunScore score;
  score.set_dataset(found->measured.dataset);
  score.set_measure(found->measured.measure);
  score.set_value(*found->models.Mean());
  score.set_num_samples(found->models.num_samples());
  score.set_lower_is_better(found->models.LowerIsBetter());
  score.set_is_of_last_model(found->is_of_last_model);
  if (found->rule) {
    score.set_baseline(found->rule->value);
    score.set_baseline_name(found->rule->name);
  }
  return score;
}

}  // namespace tidemill::supervisor

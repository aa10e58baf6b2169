#include "cli/commands/models/model_score.h"

#include <utility>
#include <vector>

#include "cli/results/run_measures.h"
#include "results/rows.h"
#include "results/sample_mean.h"

namespace tidemill::cli {
namespace {

using results::Measured;
using results::Row;
using results::Rows;
using results::SampleMean;
using supervisor::v1::GetRunResponse;

void AddBaseline(const GetRunResponse& run, int64_t trigger, const Measured& measured,
                 const SampleMean& model, ModelScore& score) {
  for (const char* name : {"constant", "last"}) {
    const SampleMean reached(results::Select(run.results(),
                                             [&](const Row& row) {
                                               return row.trigger() == trigger &&
                                                      row.baseline() == name && measured.Holds(row);
                                             }),
                             PluginMeasureOf(run, measured.evaluation, measured.measure));
    const std::optional<double> mean = reached.Mean();
    if (!mean) continue;
    const bool is_better = !score.baseline || (model.LowerIsBetter() ? *mean < *score.baseline
                                                                     : *mean > *score.baseline);
    if (!is_better) continue;
    score.baseline = mean;
    score.baseline_name = name;
  }
}

}  // namespace

std::optional<ModelScore> ScoreOfModel(const GetRunResponse& run, int64_t trigger) {
  const bool any_active = !results::Active(run.results()).empty();
  const Rows cells = results::Select(run.results(), [&](const Row& row) {
    return results::IsCell(row) && row.trigger() == trigger && (row.active() || !any_active);
  });
  for (const Measured& measured : results::AllMeasured(cells)) {
    const SampleMean mean(
        results::Select(cells, [&](const Row& row) { return measured.Holds(row); }),
        PluginMeasureOf(run, measured.evaluation, measured.measure));
    if (!mean.Mean()) continue;
    ModelScore score{
        .dataset = measured.dataset, .measure = measured.measure, .value = *mean.Mean()};
    AddBaseline(run, trigger, measured, mean, score);
    return score;
  }
  return std::nullopt;
}

}  // namespace tidemill::cli

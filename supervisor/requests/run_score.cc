#include "supervisor/requests/run_score.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "evaluator/measures/measures.h"
#include "results/pooling.h"
#include "results/rows.h"

namespace tidemill::supervisor {
namespace {

using results::Measured;
using results::Row;
using results::Rows;

// The cells of the models in use, or those of the last model.
Rows CellsOf(const Rows& cells, bool in_use) {
  if (in_use) return results::Active(cells);
  int64_t last = 0;
  for (const Row* row : cells) last = std::max(last, row->trigger());
  return results::Select(cells, [&](const Row& row) { return row.trigger() == last; });
}

bool LowerIsBetter(const std::string& measure) {
  const std::unique_ptr<evaluator::Measure> named = evaluator::MeasureNamed(measure);
  return named != nullptr && named->LowerIsBetter();
}

// Adds the better one of the rules without a model on the same windows.
void AddBaseline(const v1::GetRunResponse& run, const Measured& measured, const Rows& models,
                 v1::RunScore& score) {
  std::set<results::Place> places;
  for (const Row* row : models) {
    if (results::HasValueOrSums(*row)) places.insert(results::PlaceOf(*row));
  }
  for (const std::string name : {"constant", "last"}) {
    const Rows rows = results::Select(run.results(), [&](const Row& row) {
      return row.baseline() == name && measured.Holds(row) &&
             places.contains(results::PlaceOf(row));
    });
    const auto reached = results::Pool(score.measure(), rows);
    if (!reached) continue;
    const bool is_better = score.lower_is_better() ? reached->value < score.baseline()
                                                   : reached->value > score.baseline();
    if (score.has_baseline() && !is_better) continue;
    score.set_baseline(reached->value);
    score.set_baseline_name(name);
  }
}

}  // namespace

std::optional<v1::RunScore> ScoreOf(const v1::GetRunResponse& run) {
  const Rows cells = results::Select(run.results(), results::IsCell);
  const std::vector<Measured> all = results::AllMeasured(cells);
  for (const bool in_use : {true, false}) {
    for (const Measured& measured : all) {
      const Rows own = results::Select(cells, [&](const Row& row) { return measured.Holds(row); });
      const Rows models = CellsOf(own, in_use);
      const auto reached = results::Pool(measured.measure, models);
      if (!reached) continue;
      v1::RunScore score;
      score.set_dataset(measured.dataset);
      score.set_measure(measured.measure);
      score.set_value(reached->value);
      score.set_num_samples(reached->num_samples);
      score.set_lower_is_better(LowerIsBetter(score.measure()));
      score.set_is_of_last_model(!in_use);
      AddBaseline(run, measured, models, score);
      return score;
    }
  }
  return std::nullopt;
}

}  // namespace tidemill::supervisor

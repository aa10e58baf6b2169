#include "cli/sweep/sweep_value.h"

#include <algorithm>
#include <set>

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

// The cells of the models in use, or those of the last model.
Rows CellsThatCount(const Rows& cells, bool in_use) {
  if (in_use) return results::Active(cells);
  int64_t last = 0;
  for (const Row* row : cells) last = std::max(last, row->trigger());
  return results::ByWindow(
      results::Select(cells, [&](const Row& row) { return row.trigger() == last; }));
}

// Adds the better one of the rules without a model on the same windows.
void AddBaselineOf(const GetRunResponse& run, const Measured& measured, const Rows& models,
                   const std::shared_ptr<const results::Measure>& plugin, SweepValue& value) {
  std::set<results::Place> places;
  for (const Row* row : models) {
    if (results::HasValueOrSums(*row)) places.insert(results::PlaceOf(*row));
  }
  for (const std::string name : {"constant", "last"}) {
    const Rows rows = results::Select(run.results(), [&](const Row& row) {
      return row.baseline() == name && measured.Holds(row) &&
             places.contains(results::PlaceOf(row));
    });
    const auto reached = SampleMean(rows, plugin).Mean();
    if (!reached) continue;
    const bool is_better = !value.baseline || (value.lower_is_better ? *reached < *value.baseline
                                                                     : *reached > *value.baseline);
    if (!is_better) continue;
    value.baseline = reached;
    value.baseline_name = name;
  }
}

std::vector<WindowValue> WindowsOf(const Rows& rows) {
  std::vector<WindowValue> windows;
  for (const Row* row : rows) {
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
  const Rows cells = results::Select(run.results(), results::IsCell);
  for (const bool in_use : {true, false}) {
    for (const Measured& measured : results::AllMeasured(cells)) {
      if (!measure.empty() && measured.measure != measure) continue;
      const Rows own = results::Select(cells, [&](const Row& row) { return measured.Holds(row); });
      const Rows models = CellsThatCount(own, in_use);
      const auto plugin = PluginMeasureOf(run, measured.evaluation, measured.measure);
      const SampleMean mean(models, plugin);
      if (!mean.Mean()) continue;
      SweepValue value{.dataset = measured.dataset, .measure = measured.measure};
      value.value = *mean.Mean();
      value.interval = mean.Interval();
      value.num_samples = mean.num_samples();
      value.lower_is_better = mean.LowerIsBetter();
      value.is_of_last_model = !in_use;
      value.windows = WindowsOf(models);
      AddBaselineOf(run, measured, models, plugin, value);
      return value;
    }
  }
  return std::nullopt;
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

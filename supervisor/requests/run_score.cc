#include "supervisor/requests/run_score.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "evaluator/client/pooling.h"
#include "evaluator/measures/measures.h"

namespace tidemill::supervisor {
namespace {

constexpr std::string_view kConfusionMatrix = "confusion_matrix";

// One measure of one evaluation.
using Measured = std::tuple<int32_t, std::string, std::string>;

Measured MeasuredOf(const auto& value) {
  return {value.evaluation(), value.dataset(), value.measure()};
}

// Slices are not the whole, and a confusion matrix has no single value.
bool IsCell(const v1::EvaluationValue& value) {
  return value.slice().empty() && value.measure() != kConfusionMatrix;
}

std::vector<Measured> AllMeasured(const v1::GetRunResponse& run) {
  std::vector<Measured> all;
  for (const v1::EvaluationValue& value : run.evaluations()) {
    if (!IsCell(value)) continue;
    Measured measured = MeasuredOf(value);
    if (std::ranges::find(all, measured) == all.end()) all.push_back(std::move(measured));
  }
  return all;
}

// A model on a window: (trigger, from, to).
using Place = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t>;

Place PlaceOf(const auto& value) {
  return {value.trigger(), value.from().event_time(), value.from().sample_key(),
          value.to().event_time(), value.to().sample_key()};
}

// The values of windows, and where they are.
class Values {
 public:
  void Add(const auto& value) {
    if (!value.has_value() && value.sums().empty()) return;
    places_.insert(PlaceOf(value));
    windows_.push_back({.value = value.has_value() ? std::optional(value.value()) : std::nullopt,
                        .num_samples = value.num_samples(),
                        .sums = value.sums()});
  }

  bool Has(const Place& place) const { return places_.contains(place); }
  std::optional<evaluator::PooledValue> Pooled(const std::string& measure) const {
    return evaluator::Pool(measure, windows_);
  }

 private:
  std::set<Place> places_;
  std::vector<evaluator::WindowValue> windows_;  // Views of the run.
};

Values ValuesInUse(const v1::GetRunResponse& run, const Measured& measured) {
  Values values;
  for (const v1::CompositeValue& value : run.active()) {
    if (MeasuredOf(value) == measured) values.Add(value);
  }
  return values;
}

Values ValuesOfLastModel(const v1::GetRunResponse& run, const Measured& measured) {
  int64_t last = 0;
  for (const v1::EvaluationValue& value : run.evaluations()) {
    if (IsCell(value) && MeasuredOf(value) == measured) last = std::max(last, value.trigger());
  }
  Values values;
  for (const v1::EvaluationValue& value : run.evaluations()) {
    if (IsCell(value) && MeasuredOf(value) == measured && value.trigger() == last) {
      values.Add(value);
    }
  }
  return values;
}

bool LowerIsBetter(const std::string& measure) {
  const std::unique_ptr<evaluator::Measure> named = evaluator::MeasureNamed(measure);
  return named != nullptr && named->LowerIsBetter();
}

// Adds the better one of the rules without a model on the same windows.
void AddBaseline(const v1::GetRunResponse& run, const Measured& measured, const Values& models,
                 v1::RunScore& score) {
  for (const std::string name : {"constant", "last"}) {
    Values values;
    for (const v1::CompositeValue& value : run.baselines()) {
      if (value.baseline() == name && MeasuredOf(value) == measured && models.Has(PlaceOf(value))) {
        values.Add(value);
      }
    }
    const auto reached = values.Pooled(score.measure());
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
  const std::vector<Measured> all = AllMeasured(run);
  for (const bool in_use : {true, false}) {
    for (const Measured& measured : all) {
      const Values values = in_use ? ValuesInUse(run, measured) : ValuesOfLastModel(run, measured);
      const auto reached = values.Pooled(std::get<2>(measured));
      if (!reached) continue;
      v1::RunScore score;
      score.set_dataset(std::get<1>(measured));
      score.set_measure(std::get<2>(measured));
      score.set_value(reached->value);
      score.set_num_samples(reached->num_samples);
      score.set_lower_is_better(LowerIsBetter(score.measure()));
      score.set_is_of_last_model(!in_use);
      AddBaseline(run, measured, values, score);
      return score;
    }
  }
  return std::nullopt;
}

}  // namespace tidemill::supervisor

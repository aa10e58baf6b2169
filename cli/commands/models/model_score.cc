#include "cli/commands/models/model_score.h"

#include <tuple>
#include <utility>
#include <vector>

#include "cli/results/run_measures.h"
#include "cli/results/sample_mean.h"

namespace tidemill::cli {
namespace {

using supervisor::v1::CompositeValue;
using supervisor::v1::EvaluationValue;
using supervisor::v1::GetRunResponse;

// (evaluation, dataset, measure)
using Key = std::tuple<int32_t, std::string, std::string>;

Key KeyOf(const auto& value) { return {value.evaluation(), value.dataset(), value.measure()}; }

// The means by measure, in the order of the evaluations.
class Means {
 public:
  explicit Means(const GetRunResponse& run) : run_(run) {}

  void Add(const auto& value) {
    if (!value.has_value() && value.sums().empty()) return;
    const Key key = KeyOf(value);
    for (auto& [known, mean] : means_) {
      if (known == key) return mean.Add(value);
    }
    means_.emplace_back(key,
                        SampleMean(PluginMeasureOf(run_, value.evaluation(), value.measure())));
    means_.back().second.Add(value);
  }

  // The first measure that has a mean; nullptr when none has.
  const std::pair<Key, SampleMean>* First() const {
    for (const auto& entry : means_) {
      if (entry.second.Mean()) return &entry;
    }
    return nullptr;
  }

 private:
  const GetRunResponse& run_;
  std::vector<std::pair<Key, SampleMean>> means_;
};

void AddBaseline(const GetRunResponse& run, int64_t trigger, const Key& key,
                 const SampleMean& model, ModelScore& score) {
  for (const char* name : {"constant", "last"}) {
    SampleMean reached(PluginMeasureOf(run, std::get<0>(key), std::get<2>(key)));
    for (const CompositeValue& value : run.baselines()) {
      if (value.trigger() == trigger && value.baseline() == name && KeyOf(value) == key) {
        reached.Add(value);
      }
    }
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
  Means means(run);
  for (const CompositeValue& value : run.active()) {
    if (value.trigger() == trigger) means.Add(value);
  }
  if (run.active().empty()) {
    for (const EvaluationValue& value : run.evaluations()) {
      if (value.trigger() == trigger && value.slice().empty()) means.Add(value);
    }
  }
  const auto* const first = means.First();
  if (first == nullptr) return std::nullopt;
  const auto& [key, mean] = *first;
  ModelScore score{.dataset = std::get<1>(key), .measure = std::get<2>(key), .value = *mean.Mean()};
  AddBaseline(run, trigger, key, mean, score);
  return score;
}

}  // namespace tidemill::cli

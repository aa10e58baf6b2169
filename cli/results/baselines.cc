#include "cli/results/baselines.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/results/run_measures.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

constexpr std::string_view kFirst = "first";

// (trigger, from, to)
using Place = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t>;

Place PlaceOf(const auto& value, int64_t trigger) {
  return {trigger, value.from().event_time(), value.from().sample_key(), value.to().event_time(),
          value.to().sample_key()};
}

bool Has(const auto& value) { return value.has_value() || !value.sums().empty(); }

// One measure of one evaluation.
struct Measured {
  int32_t evaluation = 0;
  std::string dataset;
  std::string measure;

  friend auto operator<=>(const Measured&, const Measured&) = default;
  bool Holds(const auto& value) const {
    return value.evaluation() == evaluation && value.dataset() == dataset &&
           value.measure() == measure;
  }
};

std::string RuleOf(std::string_view name, const std::string& measure) {
  if (name == "last") return "repeating the last label known";
  return fmt::format("always predicting the {} known at each training",
                     IsOfValues(measure) ? "mean" : "most frequent class");
}

// The values of models in use, and of those that are compared with baselines, by their place.
class ModelValues {
 public:
  ModelValues(const v1::GetRunResponse& run, const Measured& measured) {
    for (const v1::CompositeValue& value : run.active()) {
      if (measured.Holds(value)) in_use_[PlaceOf(value, value.trigger())] = &value;
    }
    std::set<Place> beside;
    for (const v1::CompositeValue& value : run.baselines()) {
      if (measured.Holds(value)) beside.insert(PlaceOf(value, value.trigger()));
    }
    for (const v1::EvaluationValue& value : run.evaluations()) {
      if (!measured.Holds(value) || !value.slice().empty()) continue;
      first_ = first_ == 0 ? value.trigger() : std::min(first_, value.trigger());
    }
    for (const v1::EvaluationValue& value : run.evaluations()) {
      if (!measured.Holds(value) || !value.slice().empty()) continue;
      const Place place = PlaceOf(value, value.trigger());
      if (value.trigger() == first_ || beside.contains(place)) others_[place] = &value;
    }
  }

  // False when the model has no value.
  bool AddTo(SampleMean& mean, const Place& place) const {
    const auto in_use = in_use_.find(place);
    const auto other = others_.find(place);
    if (in_use != in_use_.end() && Has(*in_use->second)) {
      mean.Add(*in_use->second);
    } else if (other != others_.end() && Has(*other->second)) {
      mean.Add(*other->second);
    } else {
      return false;
    }
    return true;
  }

  const std::map<Place, const v1::CompositeValue*>& in_use() const { return in_use_; }
  int64_t first() const { return first_; }

 private:
  std::map<Place, const v1::CompositeValue*> in_use_;
  std::map<Place, const v1::EvaluationValue*> others_;
  int64_t first_ = 0;
};

void AddFirstModel(const ModelValues& values, Baseline& baseline) {
  bool another = false;
  for (const auto& [place, value] : values.in_use()) {
    Place first = place;
    std::get<0>(first) = values.first();
    if (!Has(*value) || !values.AddTo(baseline.reached, first)) continue;
    another = another || first != place;
    baseline.models.Add(*value);
  }
  if (!another) baseline.reached = SampleMean();
}

std::vector<Measured> MeasuredOf(const v1::GetRunResponse& run) {
  std::vector<Measured> all;
  for (const v1::EvaluationValue& value : run.evaluations()) {
    const bool only_detail = !value.has_value() && !value.detail().empty();
    if (!value.slice().empty() || only_detail) continue;
    Measured measured{value.evaluation(), value.dataset(), value.measure()};
    if (std::find(all.begin(), all.end(), measured) == all.end())
      all.push_back(std::move(measured));
  }
  return all;
}

ordered_json ToJson(const Baseline& baseline) {
  return {{"baseline", baseline.name},
          {"rule", baseline.rule},
          {"value", *baseline.reached.Mean()},
          {"models", *baseline.models.Mean()},
          {"samples", baseline.reached.num_samples()},
          {"wins", baseline.Wins()}};
}

}  // namespace

bool Baseline::Wins() const {
  const std::optional<double> own = reached.Mean();
  const std::optional<double> of_models = models.Mean();
  if (!own || !of_models) return false;
  return models.LowerIsBetter() ? *own < *of_models : *own > *of_models;
}

std::string DescribeFirstModel(const v1::GetRunResponse& run, int64_t trigger) {
  for (const v1::Trigger& one : run.triggers()) {
    if (one.number() != trigger) continue;
    return fmt::format("the first model, trained on {} samples and never retrained",
                       WithThousands(one.num_samples()));
  }
  return "the first model, never retrained";
}

std::vector<Baseline> BaselinesOf(const v1::GetRunResponse& run, int32_t evaluation,
                                  const std::string& dataset, const std::string& measure) {
  const Measured measured{evaluation, dataset, measure};
  const ModelValues values(run, measured);
  const auto of_pipeline = PluginMeasureOf(run, evaluation, measure);
  const auto fresh = [&](std::string_view name) {
    return Baseline{.name = std::string(name),
                    .reached = SampleMean(of_pipeline),
                    .models = SampleMean(of_pipeline)};
  };
  std::vector<Baseline> baselines;
  for (const std::string_view name : {"constant", "last"}) {
    Baseline& baseline = baselines.emplace_back(fresh(name));
    baseline.rule = RuleOf(name, measure);
    for (const v1::CompositeValue& value : run.baselines()) {
      if (!measured.Holds(value) || value.baseline() != name || !Has(value)) continue;
      if (values.AddTo(baseline.models, PlaceOf(value, value.trigger()))) {
        baseline.reached.Add(value);
      }
    }
  }
  baselines.push_back(fresh(kFirst));
  baselines.back().rule = DescribeFirstModel(run, values.first());
  AddFirstModel(values, baselines.back());
  std::erase_if(baselines, [](const Baseline& baseline) {
    return !baseline.reached.Mean() || !baseline.models.Mean();
  });
  return baselines;
}

std::string DescribeBaselines(const std::vector<Baseline>& baselines) {
  if (baselines.empty() || baselines.front().name == kFirst) return "";
  std::string text = "  beside it, on the same samples:";
  for (const Baseline& baseline : baselines) {
    text += fmt::format("{} {} {}{}", text.back() == ':' ? "" : ";", baseline.rule,
                        baseline.reached.ToString(),
                        baseline.Wins() ? " (better than the models)" : "");
  }
  return text + "\n";
}

std::string BaselineSentences(const std::vector<Baseline>& baselines,
                              const std::function<std::string(double)>& show,
                              const std::function<RuleComparison(const Baseline&)>& compare) {
  std::string lost;
  std::string even;
  std::string won;
  for (const Baseline& baseline : baselines) {
    if (baseline.name == kFirst) continue;
    const RuleComparison comparison = compare(baseline);
    std::string& text = comparison.may_be_chance ? even : baseline.Wins() ? lost : won;
    text += fmt::format("{}{} would have had {}", text.empty() ? "" : ", ", baseline.rule,
                        show(*baseline.reached.Mean()));
    if (comparison.difference.empty()) continue;
    text += fmt::format(" (the models: {})", comparison.difference);
  }
  std::string sentences;
  if (!lost.empty()) sentences += " The models lose to a rule without a model: " + lost + ".";
  if (!even.empty()) {
    sentences +=
        " Chance may be all that divides the models from a rule without a model: " + even + ".";
  }
  if (!won.empty()) {
    won[0] = static_cast<char>(won[0] - 'a' + 'A');
    sentences += " " + won + ".";
  }
  return sentences;
}

ordered_json BaselinesToJson(const v1::GetRunResponse& run) {
  ordered_json all = ordered_json::array();
  for (const Measured& measured : MeasuredOf(run)) {
    for (const Baseline& baseline :
         BaselinesOf(run, measured.evaluation, measured.dataset, measured.measure)) {
      ordered_json json = {{"evaluation", measured.evaluation},
                           {"dataset", measured.dataset},
                           {"measure", measured.measure}};
      json.update(ToJson(baseline));
      all.push_back(std::move(json));
    }
  }
  return all;
}

}  // namespace tidemill::cli

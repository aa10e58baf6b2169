#include "cli/results/baselines.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/results/run_measures.h"
#include "cli/terminal/text.h"
#include "results/known_measures.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

constexpr std::string_view kFirst = "first";

using results::HasValueOrSums;
using results::Measured;
using results::Place;
using results::Row;
using results::Rows;
using results::SampleMean;

std::string RuleOf(std::string_view name, const std::string& measure) {
  if (name == "last") return "repeating the last label known";
  return fmt::format("always predicting the {} known at each training",
                     results::IsOfValues(measure) ? "mean" : "most frequent class");
}

// The cells of the models by their place.
class Cells {
 public:
  Cells(const v1::GetRunResponse& run, const Measured& measured)
      : all_(results::Select(run.results(), [&](const Row& row) {
          return results::IsCell(row) && measured.Holds(row);
        })) {
    for (const Row* row : all_) {
      first_ = first_ == 0 ? row->trigger() : std::min(first_, row->trigger());
      by_place_[results::PlaceOf(*row)] = row;
    }
  }

  // nullptr when the model has no value.
  const Row* At(const Place& place) const {
    const auto found = by_place_.find(place);
    return found == by_place_.end() || !HasValueOrSums(*found->second) ? nullptr : found->second;
  }
  Rows Active() const { return results::Active(all_); }
  int64_t first() const { return first_; }

 private:
  Rows all_;
  std::map<Place, const Row*> by_place_;
  int64_t first_ = 0;
};

void AddFirstModel(const Cells& cells, Baseline& baseline) {
  bool another = false;
  for (const Row* row : cells.Active()) {
    const Row* const first = cells.At({cells.first(), results::WindowOf(*row)});
    if (!HasValueOrSums(*row) || first == nullptr) continue;
    baseline.reached.Add(*first);
    another = another || first != row;
    baseline.models.Add(*row);
  }
  if (!another) baseline.reached = SampleMean();
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

std::vector<Baseline> BaselinesOf(const v1::GetRunResponse& run, const Measured& measured) {
  const Cells cells(run, measured);
  const auto of_pipeline = PluginMeasureOf(run, measured.evaluation, measured.measure);
  const auto fresh = [&](std::string_view name, std::string rule) {
    return Baseline{.name = std::string(name),
                    .rule = std::move(rule),
                    .reached = SampleMean(of_pipeline),
                    .models = SampleMean(of_pipeline)};
  };
  std::vector<Baseline> baselines;
  for (const std::string_view name : {"constant", "last"}) {
    Baseline& baseline = baselines.emplace_back(fresh(name, RuleOf(name, measured.measure)));
    for (const Row& row : run.results()) {
      if (row.baseline() != name || !measured.Holds(row) || !HasValueOrSums(row)) continue;
      const Row* const model = cells.At(results::PlaceOf(row));
      if (model == nullptr) continue;
      baseline.models.Add(*model);
      baseline.reached.Add(row);
    }
  }
  baselines.push_back(fresh(kFirst, DescribeFirstModel(run, cells.first())));
  AddFirstModel(cells, baselines.back());
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
  for (const Measured& measured : results::AllMeasured(run.results())) {
    for (const Baseline& baseline : BaselinesOf(run, measured)) {
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

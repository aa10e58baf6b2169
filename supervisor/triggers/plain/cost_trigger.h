// Retrains once waiting has cost as much as a training does.
//   cost, in seconds of training or another price
//     |                           .
//     |                         .'   waited / accepted_delay: n samples have waited
//     |  ----------------------*---  a + b n: the forecast price of a training
//     |                   . '  |
//     |           . - '        fires
//     +--------------------------- time since the last training
//
// A policy that trains when the two are equal pays at most twice what the best time would have
// cost.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "config/config.h"
#include "config/remark.h"
#include "supervisor/triggers/plain/decision_interval.h"
#include "supervisor/triggers/trigger.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

// The cost of new data on which no model is trained yet.
enum class CostOf { kDelay, kMisclassifications };

// The price of a training.
enum class TrainingPrice { kSeconds, kProcessorSeconds, kMoney };

struct CostTrigger {
  static constexpr std::string_view kType = "cost";
  static constexpr std::string_view kDoc =
      "Fires once the delay of new data costs as much as a training. Each new sample waits from "
      "its event time on. The price of a training is forecast from earlier trainings, by the "
      "number of samples. While there is no model, an evaluation fires if it finds as many samples "
      "as `first` asks for.";
  static constexpr std::string_view kRule =
      "waited / `accepted_delay` >= max(`least_cost`, a + b n). waited is the sum of the seconds "
      "from the event time to now, over the n samples since the last training or over the "
      "avoidable mistakes. Each interval has max(0, mistakes - (1 - `expected_accuracy`) samples) "
      "of these, spread evenly over it. a and b are the ridge regression (penalty 1 on b, neither "
      "below 0) of prices on samples over the last `trainings` trainings. With r samples a second "
      "it fires every rho b + sqrt(rho^2 b^2 + 2 rho a / r) seconds, where rho is "
      "`accepted_delay`. For b = 0 this is the interval of least total cost";
  static constexpr std::string_view kPoints =
      "where `evaluate` says; while no samples come, also at the first end of a period without "
      "samples at which it fires";
  static constexpr std::string_view kCost =
      "one addition for each sample, one regression for each evaluation; two numbers of state for "
      "each training";
  static constexpr std::string_view kSource =
      "Boether et al., Modyn: Data-Centric Machine Learning Pipeline Orchestration (SIGMOD 2025), "
      "for delay as a cost; Dooly, Goldman and Scott, TCP Dynamic Acknowledgment Delay (STOC "
      "1998), for paying once what was lost equals the price; Hoerl and Kennard, Ridge Regression "
      "(1970)";
  DecisionInterval evaluate;
  CostOf of = CostOf::kDelay;
  std::optional<double> expected_accuracy = std::nullopt;
  double accepted_delay = 1;
  TrainingPrice price = TrainingPrice::kSeconds;
  int64_t trainings = 1000;
  Duration least_cost{1000};
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field("evaluate", evaluate, "Where to compare the two.", {.required = true});
    field("of", of,
          "What counts as cost. delay: the time that each new sample has waited since its event "
          "time. "
          "misclassifications: each mistake of the active model that a new model is not expected "
          "to make, from the time of the mistake on.");
    field("expected_accuracy", expected_accuracy,
          "Accuracy of a new model, with `of: misclassifications`.",
          {.min = 0, .max = 1, .example = "0.9"});
    field("accepted_delay", accepted_delay,
          "Sample-seconds of waiting, or mistake-seconds, that are accepted to save one second of "
          "training, or one unit of another `price`. A greater value fires less often.",
          {.min = 1e-9, .required = true, .example = "100"});
    field("price", price,
          "What a training costs. seconds: how long it takes. processor_seconds: what its stages, "
          "from `select` to `store`, use on processors, of jobs, workers and services. money: what "
          "they use at the `prices` that the system configuration had when the run began.");
    field("trainings", trainings, "The forecast uses this many of the last trainings.",
          {.min = 1, .max = 1e6});
    field("least_cost", least_cost,
          "Least value of a forecast. Other prices than seconds have at least as many units as "
          "this has seconds.",
          {.min = 1e-6});
    field("first", first,
          "The first training waits for this many samples. By default the first evaluation starts "
          "it, however few samples have come.",
          {.min = 1, .example = "2000"});
  }
  void Check(config::Problems& problems) const;
};

std::unique_ptr<TriggerPolicy> MakePolicy(const CostTrigger& spec);
Verdict Judge(const CostTrigger& spec, const Observed& observed);
std::string Explain(const CostTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const CostTrigger& spec);

template <>
class TriggerOf<CostTrigger> final : public RuleTrigger<CostTrigger> {
 public:
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override;
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::CostOf> {
  static constexpr std::pair<tidemill::supervisor::CostOf, std::string_view> kNames[] = {
      {tidemill::supervisor::CostOf::kDelay, "delay"},
      {tidemill::supervisor::CostOf::kMisclassifications, "misclassifications"}};
};

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::TrainingPrice> {
  static constexpr std::pair<tidemill::supervisor::TrainingPrice, std::string_view> kNames[] = {
      {tidemill::supervisor::TrainingPrice::kSeconds, "seconds"},
      {tidemill::supervisor::TrainingPrice::kProcessorSeconds, "processor_seconds"},
      {tidemill::supervisor::TrainingPrice::kMoney, "money"}};
};

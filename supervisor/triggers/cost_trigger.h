// Retrains once waiting has cost as much as a training does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "config/config.h"
#include "supervisor/triggers/decision_interval.h"
#include "supervisor/triggers/trigger_policy.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

// What new data costs while no model is trained on it.
enum class CostOf { kDelay, kMisclassifications };

struct CostTrigger {
  static constexpr std::string_view kType = "cost";
  static constexpr std::string_view kDoc =
      "Fires once the waiting of new data has come to as much as a training costs. Each new sample "
      "waits from its event time on; the seconds of a training are forecast from those of the "
      "trainings before, by the number of samples. While there is no model, an evaluation fires "
      "that finds the samples that `first` asks for.";
  static constexpr std::string_view kRule =
      "waited / `accepted_delay` >= max(`least_cost`, a + b n), where waited is the sum over the n "
      "samples since the last training of the seconds from their event times to now, or over the "
      "avoidable mistakes, max(0, mistakes - (1 - `expected_accuracy`) samples) of each interval "
      "spread evenly over it, and a and b "
      "are the ridge regression (penalty 1 on b, neither below 0) of seconds on samples over the "
      "last `trainings` trainings. With r samples a second it fires each rho b + sqrt(rho^2 b^2 + "
      "2 rho a / r) seconds, rho being `accepted_delay`, which for b = 0 is the interval of least "
      "total cost";
  static constexpr std::string_view kPoints =
      "where `evaluate` says; while nothing comes, also the first end of a period without samples "
      "at which it fires";
  static constexpr std::string_view kCost =
      "one addition a sample, one regression an evaluation; two numbers a training of state";
  static constexpr std::string_view kSource =
      "Boether et al., Modyn: Data-Centric Machine Learning Pipeline Orchestration (SIGMOD 2025), "
      "for delay as a cost; Dooly, Goldman and Scott, TCP Dynamic Acknowledgment Delay (STOC "
      "1998), for paying once what was lost equals the price; Hoerl and Kennard, Ridge Regression "
      "(1970)";
  DecisionInterval evaluate;
  CostOf of = CostOf::kDelay;
  std::optional<double> expected_accuracy = std::nullopt;
  double accepted_delay = 1;
  int64_t trainings = 1000;
  Duration least_cost{1000};
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field("evaluate", evaluate, "Where the two are compared.", {.required = true});
    field("of", of,
          "What costs: delay, each new sample from its event time on; misclassifications, each "
          "mistake of the active model that a new one is expected not to make, from when it was "
          "made on.");
    field("expected_accuracy", expected_accuracy,
          "Accuracy of a new model, with `of: misclassifications`.",
          {.min = 0, .max = 1, .example = "0.9"});
    field("accepted_delay", accepted_delay,
          "Sample-seconds of waiting, or mistake-seconds, that are accepted to save one second of "
          "training: twice as much fires less often.",
          {.min = 1e-9, .required = true, .example = "100"});
    field("trainings", trainings, "The forecast rests on so many of the last trainings.",
          {.min = 1, .max = 1e6});
    field("least_cost", least_cost, "A forecast is never below this.", {.min = 1e-6});
    field("first", first,
          "The first training waits for so many samples. By default the first evaluation brings it "
          "about, however few have come.",
          {.min = 1, .example = "2000"});
  }
  void Check(config::Problems& problems) const;
};

std::unique_ptr<TriggerPolicy> MakePolicy(const CostTrigger& spec);
Verdict Judge(const CostTrigger& spec, const Observed& observed);
std::string Explain(const CostTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const CostTrigger& spec);
void CheckSamples(const CostTrigger& spec, const transform::DescribedSamples& samples,
                  config::Problems& problems);

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::CostOf> {
  static constexpr std::pair<tidemill::supervisor::CostOf, std::string_view> kNames[] = {
      {tidemill::supervisor::CostOf::kDelay, "delay"},
      {tidemill::supervisor::CostOf::kMisclassifications, "misclassifications"}};
};

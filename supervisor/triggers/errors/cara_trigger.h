// Retrains when the cost of staleness has reached the price of a training.
//   S, the staleness since the training
//     |            __  S >= tau: fires, and S becomes 0
//     |         __|
//     |     ___|      each interval adds error - expected error; S never falls below 0
//     |  __|
//     +----------------- intervals
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "config/remark.h"
#include "supervisor/triggers/errors/interval_errors.h"
#include "supervisor/triggers/trigger.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

// The quantity that is compared with the threshold.
enum class CaraVariant { kCumulative, kThreshold };

struct CaraTrigger {
  static constexpr std::string_view kType = "cara";
  static constexpr std::string_view kDoc =
      "Weighs what a stale model costs against the price of a training (cost-aware retraining). "
      "Staleness is by how much the active model is worse than a new one is expected to be. While "
      "there is no model, an evaluation fires if it finds as many samples as `first` asks for.";
  static constexpr std::string_view kRule =
      "cumulative: S >= `tau`, where S becomes max(0, S + s) at each interval since the last "
      "training; threshold: s >= `tau`. s = e - expected, where e is the error of the active model "
      "on the interval and expected is `expected_error`, or the mean error of the last `trainings` "
      "new models on their first intervals. Without `tau`, `price` is the threshold. If s grows by "
      "g an interval, a training every m intervals costs price / m + g (m - 1) / 2 for each, which "
      "is least for m = sqrt(2 price / g). There, S is about `price`: so the cumulative variant "
      "needs to know no g. If no sample of an interval could be looked at, the answer is no";
  static constexpr std::string_view kPoints =
      "where `evaluate` says; samples are counted from the last training on";
  static constexpr std::string_view kCost =
      "one prediction of the model for each sample; as state, one number for each of the last "
      "`trainings` trainings";
  static constexpr std::string_view kSource =
      "Mahadevan and Mathioudakis, Cost-aware retraining for machine learning (Knowledge-Based "
      "Systems 293, 2024), for the variants and for staleness against the price. They estimate "
      "staleness from the data of queries; here it is measured by the labels that have come";
  IntervalErrors intervals;
  double price = 0;
  CaraVariant variant = CaraVariant::kCumulative;
  std::optional<double> tau = std::nullopt;
  ExpectedError expected = {};

  void Fields(auto&& field) {
    intervals.Fields(field);
    field(
        "price", price,
        "What a training costs, in errors x intervals: 0.5 is an error of 0.5 for one interval, or "
        "of 0.05 for ten.",
        {.min = 0, .max = 1e9, .required = true, .example = "0.5"});
    field("variant", variant,
          "cumulative: the staleness of all intervals since the last training counts. threshold: "
          "that of the last interval.");
    field("tau", tau, "The staleness that fires. By default `price`.",
          {.min = 0, .max = 1e9, .example = "0.05"});
    expected.Fields(field);
  }

  double Threshold() const { return tau.value_or(price); }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const CaraTrigger& spec);
Verdict Judge(const CaraTrigger& spec, const Observed& observed);
std::string Explain(const CaraTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const CaraTrigger& spec);

template <>
class TriggerOf<CaraTrigger> final : public RuleTrigger<CaraTrigger> {
 public:
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override;
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::CaraVariant> {
  using Variant = tidemill::supervisor::CaraVariant;
  static constexpr std::pair<Variant, std::string_view> kNames[] = {
      {Variant::kCumulative, "cumulative"}, {Variant::kThreshold, "threshold"}};
};

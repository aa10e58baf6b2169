// Retrains when a detector signals drift in the mistakes of the active model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/remark.h"
#include "supervisor/statistics/detectors/detector.h"
#include "supervisor/triggers/plain/decision_interval.h"
#include "supervisor/triggers/trigger.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

struct DetectorTrigger {
  static constexpr std::string_view kType = "detector";
  static constexpr std::string_view kDoc =
      "Shows the mistakes of the active model to a drift detector, sample by sample, and fires "
      "when the detector signals drift. While there is no model, an evaluation fires if it finds "
      "as many samples as `first` asks for.";
  static constexpr std::string_view kRule =
      "`detector`, which begins again after each training, signalled drift at a sample since the "
      "last evaluation";
  static constexpr std::string_view kPoints =
      "where `evaluate` says; samples are counted from the last training on";
  static constexpr std::string_view kCost =
      "one prediction of the model for each sample; O(1) of time and state for each sample, O(log "
      "W) for adwin";
  static constexpr std::string_view kSource =
      "Bifet and Gavalda, Learning from Time-Changing Data with Adaptive Windowing (SDM 2007); "
      "Gama et al., Learning with Drift Detection (SBIA 2004); Baena-Garcia et al., Early Drift "
      "Detection Method (2006); Page, Continuous Inspection Schemes (1954)";
  DecisionInterval evaluate;
  statistics::DetectorSpec detector;
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field("evaluate", evaluate, "Where to ask the detector. What it saw before counts.",
          {.required = true});
    field("detector", detector, "Which one.");
    field("first", first,
          "The first training waits for this many samples. By default the first evaluation starts "
          "it, however few samples have come.",
          {.min = 1, .example = "2000"});
  }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const DetectorTrigger& spec);
Verdict Judge(const DetectorTrigger& spec, const Observed& observed);
std::string Explain(const DetectorTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const DetectorTrigger& spec);

template <>
class TriggerOf<DetectorTrigger> final : public RuleTrigger<DetectorTrigger> {
 public:
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override;
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor

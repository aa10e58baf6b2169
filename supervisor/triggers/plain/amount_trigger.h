// Retrains after a stated number of new samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/remark.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {

struct AmountTrigger {
  static constexpr std::string_view kType = "amount";
  static constexpr std::string_view kDoc = "Fires after every given number of new samples.";
  static constexpr std::string_view kRule =
      "new samples >= `samples`; for the first training, with `first`: samples >= `first`";
  static constexpr std::string_view kPoints =
      "right after every n-th sample since the last training, or since the beginning";
  static constexpr std::string_view kCost = "almost nothing; two numbers of state";
  static constexpr std::string_view kSource = "";
  int64_t samples = 1000;
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field("samples", samples, "Number of new samples between two triggers.",
          {.min = 1, .required = true, .example = "2000"});
    field("first", first,
          "The first training comes after this many samples, so that the model that others are "
          "compared with has not seen a handful only. By default after `samples`.",
          {.min = 1, .example = "2000"});
  }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const AmountTrigger& spec);
Verdict Judge(const AmountTrigger& spec, const Observed& observed);
std::string Explain(const AmountTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const AmountTrigger& spec);

template <>
class TriggerOf<AmountTrigger> final : public RuleTrigger<AmountTrigger> {
 public:
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor

// Retrains when the stream pauses: at the end of a shift, a session, a campaign.
//
//   x xx x x . . . . . . . . . x x xx x
//          |<--- length -->|
//                          decides, and fires if `samples` have come since the last training
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/remark.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {

struct PauseTrigger {
  static constexpr std::string_view kType = "pause";
  static constexpr std::string_view kDoc =
      "Fires when no sample has come for a given time, as at the end of a shift or a session, "
      "whenever that is.";
  static constexpr std::string_view kRule =
      "event time without a sample >= `length`, and samples since the last training >= `samples`";
  static constexpr std::string_view kPoints = "`length` after the last sample before each pause";
  static constexpr std::string_view kCost = "almost nothing; three numbers of state";
  static constexpr std::string_view kSource = "";
  Duration length = {};
  int64_t samples = 1;

  void Fields(auto&& field) {
    field("length", length, "Event time without a sample that counts as a pause.",
          {.min = 1e-6, .required = true, .example = "2h"});
    field("samples", samples,
          "A pause fires only if at least this many samples have come since the last training.",
          {.min = 1, .example = "500"});
  }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const PauseTrigger& spec);
Verdict Judge(const PauseTrigger& spec, const Observed& observed);
std::string Explain(const PauseTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const PauseTrigger& spec);

template <>
class TriggerOf<PauseTrigger> final : public RuleTrigger<PauseTrigger> {
 public:
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor

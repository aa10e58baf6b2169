// The resources that a run has used, by stage and trigger: a fold of its events, beside RunState.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/usage/amounts.h"
#include "tidemill/supervisor/v1/costs.pb.h"
#include "tidemill/supervisor/v1/run_event.pb.h"

namespace tidemill::supervisor {

// The stages, in the order in which they follow one another.
inline constexpr std::string_view kUsageStages[] = {"sync",  "decide", "select",   "fit",
                                                    "train", "store",  "evaluate", "retire"};

// Apply() is the only way to change it, so that reading the events table again restores the same
// rows. Thread-compatible.
class RunUsage {
 public:
  void Apply(const v1::RunEvent& event);

  // Returns what a stage of a trigger has used; zeros when nothing is known.
  usage::Amounts Of(int64_t trigger, std::string_view stage) const;
  // Returns the part of a job's total that is in the rows.
  usage::Amounts OfJob(const std::string& name) const;
  // The prices when the run began, if there were any. They never change, as what is shown may.
  const std::optional<rpc::v1::Prices>& prices() const { return prices_; }
  // Returns the rows; without prices.
  v1::RunCosts Costs() const;

 private:
  // By the place of the stage in kUsageStages, then by trigger. Stages of newer versions come last.
  std::map<std::pair<size_t, int64_t>, usage::Amounts> rows_;
  std::map<std::string, usage::Amounts> jobs_;
  std::optional<rpc::v1::Prices> prices_;
};

}  // namespace tidemill::supervisor

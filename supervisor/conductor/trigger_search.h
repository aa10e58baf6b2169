// Looks in a stream for the next trigger.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "batch/batch.h"
#include "supervisor/conductor/run_policy.h"
#include "supervisor/conductor/run_record.h"
#include "supervisor/triggers/decider.h"

namespace tidemill::supervisor {

// Shows the policy of a replay the stream from the last decision on, until it fires or the stream
// ends. With a delay of labels the policy sees each sample at the time at which its label becomes
// known, so a trigger has as many samples to train on as the policy counted. Now and then it makes
// decisions count and reports how far it is. Thread-compatible.
class TriggerSearch {
 public:
  // A part of the stream, from the last decision on.
  struct Seen {
    // Those that do not count yet.
    std::vector<Decision> decisions;
    // Of the policy behind them.
    std::string state;
    // Samples since the last trigger.
    int64_t num_new = 0;
    // How far the policy is from its next decision, for people.
    std::string standing;
    // Where the samples end.
    Cut end;
  };

  // `decider` is what `policy` made, and `begin` where the stream begins that it is shown. `record`
  // and `policy` must outlive this object.
  TriggerSearch(RunRecord& record, RunPolicy& policy, Decider decider, Duration label_delay,
                const Cut& begin);

  // Takes the next samples, as storage lists them. CANCELLED once a trigger has fired: nothing is
  // to follow. After another error the search begins anew, with another object.
  absl::Status Take(const batch::Batch& chunk);
  bool fired() const { return fired_; }
  Seen Finish() &&;

 private:
  // An error ends the search.
  absl::Status Keep(Decision decision);
  void Report(int64_t event_time);

  RunRecord& record_;
  RunPolicy& policy_;
  Decider decider_;
  const Duration label_delay_;
  Cut end_;
  bool fired_ = false;
  std::vector<Decision> decisions_;
  std::optional<Verdict> last_unfired_;
  std::chrono::steady_clock::time_point recorded_;
  std::chrono::steady_clock::time_point reported_;
};

}  // namespace tidemill::supervisor

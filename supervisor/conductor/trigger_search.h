// Searches a stream for the next trigger.
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
#include "supervisor/steps/run_record.h"
#include "supervisor/triggers/decider.h"

namespace tidemill::supervisor {

// Shows the stream from the last decision on to the policy of a replay, until it fires or the
// stream ends. With a label delay, the policy sees each sample at the time when its label becomes
// known. A trigger then has as many samples to train on as the policy has counted. Now and then, it
// records decisions and reports progress. Thread-compatible.
class TriggerSearch {
 public:
  // The result of the search so far, from the last decision on.
  struct Seen {
    // The decisions that do not count yet.
    std::vector<Decision> decisions;
    // The state of the policy after them.
    std::string state;
    // The number of samples since the last trigger.
    int64_t num_new = 0;
    // How far the policy is from its next decision, as a sentence for people.
    std::string standing;
    // The end of the samples.
    Cut end;
  };

  // `decider` must be from `policy`. `begin` is where the shown stream begins. `record` and
  // `policy` must outlive this object.
  TriggerSearch(RunRecord& record, RunPolicy& policy, Decider decider, Duration label_delay,
                const Cut& begin);

  // Adds the next samples, as storage lists them. CANCELLED when a trigger has fired; nothing may
  // follow then. After any other error, start a new search with another object.
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

// When to retrain: pure functions of the stream of (event time, key).
//
// A policy declares its decision points by what the stream holds, never by how the stream was cut
// into batches: Inform() called with one sample at a time or with all at once gives the same
// decisions. Samples after the last decision point of a replay fire nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "supervisor/triggers/trigger_spec.h"

namespace tidemill::supervisor {

// One evaluation of a policy.
struct Decision {
  // The point in the stream; what a fired decision trains on ends here.
  Cut at;
  bool fired = false;
  // Samples since the decision before.
  int64_t num_samples = 0;
  // What the policy looked at, for people: "samples" -> 2000.
  std::map<std::string, double> observed = {};

  friend bool operator==(const Decision&, const Decision&) = default;
};

// Thread-compatible.
class TriggerPolicy {
 public:
  virtual ~TriggerPolicy() = default;

  // Takes the next samples of the stream, two columns in the order (event time, key), and returns
  // the decisions whose points they reach, in order.
  virtual std::vector<Decision> Inform(std::span<const int64_t> event_times,
                                       std::span<const int64_t> keys) = 0;

  // Learns that no sample before `clock` will follow, and returns the decisions that this allows:
  // those, at most, that later samples would have brought about.
  virtual std::vector<Decision> Advance(Timestamp /*clock*/) { return {}; }
};

// The policy that `spec` names as it stands right after the decision `last`, or at the beginning of
// the stream: what it saw earlier has no part in what it will decide.
std::unique_ptr<TriggerPolicy> MakeTriggerPolicy(const TriggerSpec& spec,
                                                 const std::optional<Decision>& last);

// The alternatives of TriggerSpec.
std::unique_ptr<TriggerPolicy> MakePolicy(const AmountTrigger& spec,
                                          const std::optional<Decision>& last);
std::unique_ptr<TriggerPolicy> MakePolicy(const TimeTrigger& spec,
                                          const std::optional<Decision>& last);

}  // namespace tidemill::supervisor

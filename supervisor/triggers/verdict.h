// The answer of a policy at a decision point, and the reasons for it.
//
// A verdict is the message of its record (decision.proto): a policy fills it, the record keeps it,
// and `tidemill why` explains it. The functions here are how policies fill it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "google/protobuf/map.h"

#include "base/time.h"
#include "supervisor/triggers/verdict_types.h"
#include "tidemill/supervisor/v1/decision.pb.h"

namespace tidemill::supervisor {

// Returns the verdict of a policy that observed these numbers, as yet a no without reasons.
Verdict NewVerdict(std::string_view policy, const Observed& observed);

// A policy answers yes when a value has reached its threshold. Most values rise to the threshold;
// accuracies and p-values fall to it.
v1::Comparison Compared(std::string_view quantity, double value, double threshold,
                        std::string_view unit);
// A comparison that only waits for a precondition: the policy cannot look yet at the number that
// decides.
v1::Comparison Awaited(std::string_view quantity, double value, double threshold,
                       std::string_view unit);
// How far the value is above the threshold.
double MarginOf(const v1::Comparison& compared);

// The smallest change of one number that would have turned the answer. The number is a setting of
// the policy or something that the policy observed, by its path below the policy: "samples",
// "of[1].accepted_delay". An answer of no turns at `to`; an answer of yes turns beyond `to`.
v1::Change ChangeOf(std::string_view key, double from, double to);

// Returns the fault of a policy that could not decide, or of one that it asks. nullptr when each
// could.
const v1::PolicyFault* FaultOf(const Verdict& verdict);

// Whether the verdicts are the same in all that is recorded and observed.
bool AreEqual(const Verdict& one, const Verdict& other);

// What caused the decision.
enum class DecisionCause {
  kPolicy,
  // A user asked for a training.
  kRequest,
  // The policy decided to fire, but there was no new sample since the last training.
  kNothingNew,
};

// One evaluation of the policy of a run.
struct Decision {
  // The position in the stream. A training that is fired here uses samples before it.
  Cut at;
  bool fired = false;
  // The number of samples since the previous decision, and the number since the last one that
  // fired.
  int64_t num_samples = 0;
  int64_t num_new = 0;
  DecisionCause cause = DecisionCause::kPolicy;
  Verdict verdict = {};
  // The duration of the evaluation. It is not part of the decision, so equality ignores it.
  double seconds = 0;

  friend bool operator==(const Decision& a, const Decision& b) {
    return a.at == b.at && a.fired == b.fired && a.num_samples == b.num_samples &&
           a.num_new == b.num_new && a.cause == b.cause && AreEqual(a.verdict, b.verdict);
  }
};

}  // namespace tidemill::supervisor

// The answer of a policy at a decision point, and the reasons for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace tidemill::supervisor {

// Observed numbers by name: "samples" -> 2000. The header of the policy names their units.
using Observed = std::map<std::string, double>;

// Returns zero for a name that was not observed.
inline double ValueOf(const Observed& observed, const std::string& name) {
  const auto it = observed.find(name);
  return it == observed.end() ? 0 : it->second;
}

// A policy answers yes when a value has reached its threshold. Most values rise to the threshold;
// accuracies and p-values fall to it.
struct Comparison {
  std::string quantity;  // "new samples"
  double value = 0;
  double threshold = 0;
  std::string unit;  // "samples"
  // Whether this comparison only waits for a precondition: the policy cannot look yet at the number
  // that decides.
  bool waiting = false;

  double margin() const { return value - threshold; }

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// The smallest change of one number that would have turned the answer. The number is a setting of
// the policy or something that the policy observed. An answer of no turns at `to`; an answer of yes
// turns beyond `to`.
struct Change {
  // The path of the number below the policy: "samples", "of[1].accepted_delay".
  std::string key;
  double from = 0;
  double to = 0;

  friend bool operator==(const Change&, const Change&) = default;
};

// A policy that could not decide.
struct PolicyFault {
  // For people: which plug-in, what and where.
  std::string what;
  // The plug-in's own, or what it printed; may be empty.
  std::string traceback = {};
  // Whether the run is to end with it.
  bool fails_run = false;
  // Whether it is no fault of the policy's: the decision is to be made again in a moment.
  bool is_of_machine = false;

  friend bool operator==(const PolicyFault&, const PolicyFault&) = default;
};

// The answer of one policy: all that its rule read, and the result. It is a tree when a policy asks
// other policies.
struct Verdict {
  std::string policy;  // The type of the policy.
  bool fired = false;
  // All that the rule reads besides the settings. The answer can be computed again from it.
  Observed observed = {};
  std::optional<Comparison> comparison = std::nullopt;
  std::optional<Change> nearest = std::nullopt;
  // The sentence of a policy that explains itself. Empty for policies whose rule is known here.
  std::string because = {};
  // Set when the policy had no answer, and this verdict stands in its place.
  std::optional<PolicyFault> fault = std::nullopt;
  // The verdicts of the policies that this one asks, in the order of the pipeline.
  std::vector<Verdict> members = {};

  // For a member: whether it decided at this point, and where it cast the vote that counts. The
  // latter is absent while it has cast no vote since the last training.
  bool evaluated = true;
  std::optional<Cut> voted_at = std::nullopt;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// What caused the decision.
enum class DecisionCause {
  kPolicy,
  // Somebody asked for a training.
  kRequest,
  // The policy said yes, but nothing had come since the last training.
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
           a.num_new == b.num_new && a.cause == b.cause && a.verdict == b.verdict;
  }
};

}  // namespace tidemill::supervisor

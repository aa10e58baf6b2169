// What a policy answered at a decision point, and why.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace tidemill::supervisor {

// Numbers by name, in the units that the policy's file names: "samples" -> 2000.
using Observed = std::map<std::string, double>;

// Zero for what was not observed.
inline double ValueOf(const Observed& observed, const std::string& name) {
  const auto it = observed.find(name);
  return it == observed.end() ? 0 : it->second;
}

// A policy answers yes where a value has reached its threshold: most rise to it, accuracies and
// p-values fall.
struct Comparison {
  std::string quantity;  // "new samples"
  double value = 0;
  double threshold = 0;
  std::string unit;  // "samples"
  // Not yet what decides, but what has to come before that can be looked at.
  bool waiting = false;

  double margin() const { return value - threshold; }

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// The smallest change of one number that would have turned the answer: of a setting of the policy,
// or of something that it observed. The answer turns beyond `to`, or, where it turned to yes, at
// it.
struct Change {
  // Its place below the policy: "samples", "of[1].accepted_delay".
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

  friend bool operator==(const PolicyFault&, const PolicyFault&) = default;
};

// The answer of one policy: all that its rule read, and what came of it. A tree where a policy asks
// others.
struct Verdict {
  std::string policy;  // Its type.
  bool fired = false;
  // All that the rule reads besides the settings: with it the answer can be found again.
  Observed observed = {};
  std::optional<Comparison> comparison = std::nullopt;
  std::optional<Change> nearest = std::nullopt;
  // A sentence of a policy that explains itself; empty for those whose rule is known here.
  std::string because = {};
  // Of a policy that had no answer, in whose place this one stands.
  std::optional<PolicyFault> fault = std::nullopt;
  // Of the policies that this one asks, in the order of the pipeline.
  std::vector<Verdict> members = {};

  // Of a member: whether it decided at this point, and where it gave the vote that counts; absent
  // while it has given none since the last training.
  bool evaluated = true;
  std::optional<Cut> voted_at = std::nullopt;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// Who brought the decision about.
enum class DecisionCause {
  kPolicy,
  // Somebody asked for a training.
  kRequest,
  // The policy said yes, but nothing had come since the last training.
  kNothingNew,
};

// One evaluation of the policy of a run.
struct Decision {
  // The point in the stream; what a fired decision trains on ends here.
  Cut at;
  bool fired = false;
  // Samples since the decision before, and since the last one that fired.
  int64_t num_samples = 0;
  int64_t num_new = 0;
  DecisionCause cause = DecisionCause::kPolicy;
  Verdict verdict = {};
  // What the evaluation took. No part of what was decided: equality leaves it out.
  double seconds = 0;

  friend bool operator==(const Decision& a, const Decision& b) {
    return a.at == b.at && a.fired == b.fired && a.num_samples == b.num_samples &&
           a.num_new == b.num_new && a.cause == b.cause && a.verdict == b.verdict;
  }
};

}  // namespace tidemill::supervisor

// Runs candidates for a pipeline on a part of its data.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/init/candidates/candidate.h"

namespace tidemill::cli {

// The score of a candidate by the first measure, on windows that each of its models met only after
// its training.
struct TriedCandidate {
  Candidate candidate = {};
  std::optional<double> value = std::nullopt;  // Absent when it has a problem.
  std::optional<std::pair<double, double>> interval = std::nullopt;
  // The interval of the best candidate's value less this one's, on the samples that both have.
  // Absent for the best one, and when it is unknown.
  std::optional<std::pair<double, double>> behind = std::nullopt;
  std::string problem = {};    // "it was not done within the budget"
  bool is_unfinished = false;  // Only the budget has ended it.
};

// A rule without a model on the same windows.
struct TriedRule {
  std::string rule = {};
  double value = 0;
};

struct Trial {
  std::string rows = {};     // The rows that were tried: "the 487 rows of the first third".
  std::string measure = {};  // The first measure of the evaluation.
  bool lower_is_better = false;
  int64_t num_samples = 0;                      // On which each was judged.
  std::vector<TriedCandidate> candidates = {};  // The simplest first.
  std::vector<TriedRule> rules = {};
  double seconds = 0;
};

// Tells the user of a step.
using SayStep = std::function<void(const std::string& step)>;

// Runs each candidate as its own pipeline, on a stack that exists only for them. Those that are not
// done at the end of the budget, which includes the start of the stack, are stopped. An error means
// that nothing could be tried.
absl::StatusOr<Trial> TryCandidates(const PipelineDraft& draft, std::chrono::milliseconds budget,
                                    const SayStep& say);

}  // namespace tidemill::cli

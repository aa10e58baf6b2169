// The runs of candidates on one stack.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/init/candidates/trial.h"
#include "cli/stack/private_stack.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Submits candidates as pipelines, as many at once as there are processors. Thread-compatible.
class CandidateRuns {
 public:
  using Clock = std::chrono::steady_clock;

  // `draft` is the one whose rows are in the folder of the stack. Both must outlive this object.
  CandidateRuns(const PrivateStack& stack, const PipelineDraft& draft)
      : stack_(stack), draft_(draft) {}

  // Starts the candidates by their turns, and waits until all have ended, or until `end`. Those
  // that have not ended by then have that as their problem.
  void Run(std::vector<TriedCandidate>& candidates, Clock::time_point end);

  // Returns the run of a candidate; std::nullopt when it has not succeeded.
  std::optional<supervisor::v1::GetRunResponse> ResultOf(size_t candidate) const;
  // Returns why a run has failed; empty when it has not.
  std::string ProblemOf(size_t candidate) const;
  // Returns the interval of the first measure of one candidate less that of another, on the samples
  // that both have; std::nullopt when it is unknown.
  std::optional<std::pair<double, double>> DifferenceOf(size_t one, size_t other) const;

 private:
  void Start(size_t place, TriedCandidate& candidate);
  absl::StatusOr<int64_t> Submit(size_t place, const Candidate& candidate) const;
  int64_t NumRunning() const;

  const PrivateStack& stack_;
  const PipelineDraft& draft_;
  std::vector<std::optional<int64_t>> ids_;
};

}  // namespace tidemill::cli

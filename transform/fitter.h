// Fits the ops of a graph to the selected samples.
//
//   Fitter fitter(graph);
//   for (int pass = 0; pass < fitter.num_passes(); ++pass) {
//     while (... next block of the training set ...) RETURN_IF_ERROR(fitter.Add(block));
//     RETURN_IF_ERROR(fitter.EndPass());
//   }
//   ASSIGN_OR_RETURN(const FittedState fitted, fitter.Finish());
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "transform/graph.h"

namespace tidemill::transform {

// An op that learns from columns of a fitted op needs its own pass. All other ops share passes.
// Samples must come in the order of their ordinals, and every pass must have the same samples. The
// result is, to the last bit, a function of that sequence, and does not depend on how it is cut
// into blocks. Bad samples are skipped.
//
// Thread-compatible. The graph must outlive it.
class Fitter {
 public:
  explicit Fitter(const Graph& graph);

  // The number of times that the samples must be given: 0 for a graph that needs no fit, 1 for
  // nearly all others.
  int num_passes() const { return graph_.num_fit_passes_; }

  // Adds a block of samples, as for Graph::Run(). INVALID_ARGUMENT as there. RESOURCE_EXHAUSTED
  // when a vocabulary grows too large.
  absl::Status Add(const batch::Batch& samples);

  // FAILED_PRECONDITION when the pass had no good sample, or when there are no more passes.
  absl::Status EndPass();

  // Ends the last pass if EndPass() did not. FAILED_PRECONDITION when passes are missing.
  absl::StatusOr<FittedState> Finish();

  // Warnings about the data for the user: columns that never vary, categories that were left out.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // The number of bad samples in the last pass.
  int64_t num_bad() const { return num_bad_; }

 private:
  void BeginPass();
  absl::StatusOr<bool> HasRoom(const batch::Batch& samples) const;

  const Graph& graph_;
  int pass_ = 0;
  std::map<int, std::unique_ptr<OpFitter>>
      fitters_;  // The fitters of this pass, by place of the op.
  std::map<int, std::vector<Learned>> learned_;
  std::vector<std::string> warnings_;
  int64_t num_bad_ = 0;
};

}  // namespace tidemill::transform

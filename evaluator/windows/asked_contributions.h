// Asks the measures that are plug-ins for the contributions of the samples of a window.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "evaluator/measures/measures.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// The contributions of the samples of one model on one window. Each block is asked about once;
// values, slices and intervals use the same answers. A measure that fails is not asked again, and
// has no value on this window; the other measures continue. Thread-compatible.
class AskedContributions {
 public:
  // `measures` must outlive this object.
  explicit AskedContributions(std::span<const MeasureSpec> measures)
      : measures_(measures), widths_(measures.size()), faults_(measures.size()) {}

  // Adds the contributions to the outcomes of a block; they are valid until the next call. Fails
  // when no process can be started, which may be temporary.
  absl::Status Add(Outcomes& outcomes);

  // Collects the failures of values that were computed since the last call. Fails as Add() does.
  absl::Status TakeFaults();

  // Writes into the scores, one for each measure in order, which measures failed, and why.
  void Describe(google::protobuf::RepeatedPtrField<v1::Evaluation>& scores) const;

 private:
  absl::StatusOr<ContributedBlock> Ask(const Measure& measure, Outcomes outcomes, size_t& width);
  // Keeps the first failure of a measure. Returns a failure of the machine.
  absl::Status Note(size_t measure, const absl::Status& failure);

  std::span<const MeasureSpec> measures_;
  // The number of contributions per sample, from the first block on; 0 before it.
  std::vector<size_t> widths_;
  std::vector<absl::Status> faults_;
  // The contributions of the last block.
  std::vector<ContributedBlock> blocks_;
  std::vector<std::string> names_;
  std::vector<Contributions> contributions_;
};

}  // namespace tidemill::evaluator

#include "transform/fitter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "batch/slice.h"

namespace tidemill::transform {

Fitter::Fitter(const Graph& graph) : graph_(graph) { BeginPass(); }

void Fitter::BeginPass() {
  fitters_.clear();
  if (pass_ == num_passes()) return;
  num_bad_ = 0;
  for (int i = 0; i < std::ssize(graph_.ops_); ++i) {
    const Graph::BoundOp& op = graph_.ops_[i];
    if (op.fitted && op.stage == pass_) fitters_[i] = op.op->NewFitter();
  }
}

absl::Status Fitter::Add(const batch::Batch& samples) {
  if (pass_ == num_passes()) return FailedPrecondition("the graph takes no more samples to fit");
  ASSIGN_OR_RETURN(const bool fits, HasRoom(samples));
  if (!fits) {
    const int64_t half = samples.num_rows() / 2;
    RETURN_IF_ERROR(Add(batch::Slice(samples, 0, half)));
    return Add(batch::Slice(samples, half, samples.num_rows()));
  }
  Frame frame(samples, graph_.num_slots_);
  for (const int i : graph_.order()) {
    const Graph::BoundOp& op = graph_.ops_[i];
    if (op.stage > pass_) continue;
    if (op.fitted && op.stage == pass_) {
      RETURN_IF_ERROR(Annotate(fitters_.at(i)->Add(frame), op.name));
    } else {
      RETURN_IF_ERROR(graph_.RunOp(op, learned_[i], frame));
    }
  }
  num_bad_ += frame.num_bad();
  return absl::OkStatus();
}

// Samples must not be added in part, so ops that make texts of them try first.
absl::StatusOr<bool> Fitter::HasRoom(const batch::Batch& samples) const {
  const bool makes_texts = std::ranges::any_of(
      graph_.ops_, [](const Graph::BoundOp& op) { return op.op->makes_texts(); });
  if (!makes_texts) return true;
  Frame frame(samples, graph_.num_slots_);
  for (const int i : graph_.order()) {
    const Graph::BoundOp& op = graph_.ops_[i];
    if (op.stage > pass_ || (op.fitted && op.stage == pass_)) continue;
    const auto learned = learned_.find(i);
    RETURN_IF_ERROR(graph_.RunOp(
        op, learned == learned_.end() ? std::span<const Learned>() : learned->second, frame));
    if (frame.has_too_many_texts()) return false;
  }
  return true;
}

absl::Status Fitter::EndPass() {
  if (pass_ == num_passes()) return FailedPrecondition("every pass of the fit has ended");
  for (auto& [index, fitter] : fitters_) {
    auto result = fitter->Finish();
    if (!result.ok()) return Annotate(result.status(), graph_.ops_[index].name);
    learned_[index] = std::move(result->learned);
    std::move(result->warnings.begin(), result->warnings.end(), std::back_inserter(warnings_));
  }
  ++pass_;
  BeginPass();
  return absl::OkStatus();
}

absl::StatusOr<FittedState> Fitter::Finish() {
  if (pass_ + 1 == num_passes()) RETURN_IF_ERROR(EndPass());
  if (pass_ < num_passes()) {
    return FailedPrecondition("the fit has ended {} of its {} passes", pass_, num_passes());
  }
  std::erase_if(learned_, [](const auto& entry) { return entry.second.empty(); });
  return FittedState(graph_.spec_digest(), learned_);
}

}  // namespace tidemill::transform

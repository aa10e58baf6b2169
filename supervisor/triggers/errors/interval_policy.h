// A policy that uses the error of each interval (interval_errors.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/errors/interval_errors.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/plain/evaluation_points.h"
#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {

// `Memory` is the policy's memory of the intervals. It is a state (sealed_state.h), constructed
// from the spec, with
//
//   void Look(const Spec&, const IntervalError&, Observed&)  at each interval with an error;
//   void Trained(const Spec&)                                at each training;
//   void Pass(const Spec&, Observed&)                        at each evaluation.
//
// The spec has its IntervalErrors as `intervals`. Thread-compatible.
template <typename Spec, typename Memory>
class IntervalPolicy final : public TriggerPolicy {
 public:
  explicit IntervalPolicy(const Spec& spec)
      : spec_(spec), points_(spec.intervals.evaluate, std::nullopt), memory_(Memory::Of(spec)) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override {
    return points_.NextPoint(ahead, clock);
  }
  void Take(Samples samples) override {
    points_.Take(samples);
    state_.num_samples += static_cast<int64_t>(samples.size());
  }
  std::vector<EvidenceRequest> Needs(const Cut& at) const override {
    if (!state_.has_model) return {};
    return {{.kind = EvidenceKind::kErrors, .from = state_.from, .to = at}};
  }
  absl::StatusOr<Verdict> Decide(const Evidence& evidence) override {
    Observed observed = points_.Pass(evidence);
    observed[number::kSamples] = static_cast<double>(state_.num_samples);
    observed[number::kModel] = state_.has_model ? 1 : 0;
    memory_.Pass(spec_, observed);
    for (const EvidenceTable& errors : evidence.tables) Look(errors, observed);
    state_.from = evidence.at;
    return Judge(spec_, observed);
  }
  void Fired(const Cut& at) override {
    points_.Fired(at);
    state_ = {.from = at, .has_model = true, .is_new = true};
    memory_.Trained(spec_);
  }
  void NoModel() override { state_.has_model = false; }
  std::string Standing() const override { return points_.Standing(); }
  nlohmann::json Seal() const override { return statistics::SealState(*this); }
  absl::Status Restore(const nlohmann::json& state) override {
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    field("points", points_);
    field("state", state_);
    field("memory", memory_);
  }

 private:
  struct State {
    std::optional<Cut> from = std::nullopt;  // Up to here samples have been looked at.
    bool has_model = false;
    bool is_new = false;      // No interval since the last training has been looked at.
    int64_t num_samples = 0;  // Since the last training.

    void Fields(auto&& field) {
      field("from", from);
      field("has_model", has_model);
      field("is_new", is_new);
      field("num_samples", num_samples);
    }
  };

  void Look(const EvidenceTable& errors, Observed& observed) {
    std::optional<IntervalError> interval = ObserveInterval(spec_.intervals, errors, observed);
    if (!interval) return;
    interval->is_first = std::exchange(state_.is_new, false);
    memory_.Look(spec_, *interval, observed);
  }

  const Spec spec_;
  EvaluationPoints points_;
  State state_;
  Memory memory_;
};

}  // namespace tidemill::supervisor

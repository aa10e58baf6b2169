// The points at which a policy with the key `evaluate`, and perhaps with a warm-up, decides.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/time.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/plain/decision_interval.h"
#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {

// The decision points are the points of the evaluations. During the warm-up, the points of its
// trigger are added. Samples are counted from the last training. During the warm-up they are
// counted across trainings, because its trigger could otherwise keep it from ever ending.
// Thread-compatible, as are the policies that contain it.
class EvaluationPoints {
 public:
  EvaluationPoints(const DecisionInterval& evaluate, const std::optional<WarmUp>& warm_up);

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const;
  void Take(Samples samples);
  // Whether the point that has been reached is an evaluation.
  bool EvaluatesAt(const Cut& at) const;
  // Moves past the point that has been reached. Returns the observations of the warm-up there, for
  // JudgeWarmUp(). The result is empty once the warm-up is over.
  Observed Pass(const Evidence& evidence);
  void Fired(const Cut& at);
  // Returns how far the next evaluation is, as a sentence for people.
  std::string Standing() const;

  // For sealed_state.h.
  void Fields(auto&& field) {
    field("grid", grid_);
    field("warm_up", warming_);
  }

 private:
  struct Warming {
    std::unique_ptr<TriggerPolicy> trigger;
    int64_t evaluations = 0;  // So far.

    void Fields(auto&& field) {
      field("evaluations", evaluations);
      field("trigger", trigger);
    }
  };

  bool IsWarmingUp() const { return warming_ && warming_->evaluations < warm_up_->evaluations; }

  const std::optional<WarmUp> warm_up_;
  std::variant<SampleGrid, PeriodGrid> grid_;
  std::optional<Warming> warming_;  // Absent without a warm-up.
};

// Returns the verdict during a warm-up, and std::nullopt once it is over.
std::optional<Verdict> JudgeWarmUp(const std::optional<WarmUp>& warm_up, std::string_view policy,
                                   const Observed& observed);
std::optional<std::string> ExplainWarmUp(const std::optional<WarmUp>& warm_up,
                                         const Verdict& verdict);

}  // namespace tidemill::supervisor

// Where a policy that has `evaluate`, and may have a warm-up, decides.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/decision_interval.h"
#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {

// Evaluations, and during the warm-up also the points of its trigger. Samples are counted from the
// last training on, except during the warm-up, whose trigger would otherwise never let it end.
// Thread-compatible, as the policies that it is a part of.
class EvaluationPoints {
 public:
  EvaluationPoints(const DecisionInterval& evaluate, const std::optional<WarmUp>& warm_up);

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const;
  void Take(Samples samples);
  // Whether a point that has been reached is one of an evaluation.
  bool EvaluatesAt(const Cut& at) const;
  // Moves behind the point that has been reached. What the warm-up observed there, for
  // JudgeWarmUp(); nothing once it is over.
  Observed Pass(const Evidence& evidence);
  void Fired(const Cut& at);
  // How far the next evaluation is, for people.
  std::string Standing() const;

  nlohmann::json Seal() const;
  absl::Status Restore(const nlohmann::json& state);

 private:
  bool IsWarmingUp() const { return warm_up_ && evaluations_ < warm_up_->evaluations; }

  const std::optional<WarmUp> warm_up_;
  std::variant<SampleGrid, PeriodGrid> grid_;
  std::unique_ptr<TriggerPolicy> simple_;  // nullptr without a warm-up.
  int64_t evaluations_ = 0;                // Of the warm-up.
};

// The answer during a warm-up; std::nullopt once it is over.
std::optional<Verdict> JudgeWarmUp(const std::optional<WarmUp>& warm_up, std::string_view policy,
                                   const Observed& observed);
std::optional<std::string> ExplainWarmUp(const std::optional<WarmUp>& warm_up,
                                         const Verdict& verdict);

}  // namespace tidemill::supervisor

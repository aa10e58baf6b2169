// Criteria over one score: what they read of the scores before, and what they answer.
//
// Answers are functions of what was observed, under these names: "score"; "scores", how many there
// were before; "quantile" or "mean" of those; "p_value" and "test", its number since the last
// training; "threshold" of auto.
#pragma once

#include <string>

#include "supervisor/statistics/criteria.h"
#include "supervisor/triggers/criterion_spec.h"
#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// What is judged, in words: "accuracy".
struct ScoreKind {
  std::string name;
  statistics::BadSide bad = statistics::BadSide::kHigh;
};

// How many scores a criterion looks back on; others keep one.
inline int64_t HistoryOf(const auto& criterion) {
  if constexpr (
      requires { criterion.tail; } || requires { criterion.deviation; }) {
    return criterion.history;
  }
  return 1;
}

// Adds what a criterion reads of the scores before.
void ObserveScores(const QuantileCriterion& criterion, const statistics::ScoreHistory& before,
                   const ScoreKind& kind, Observed& observed);
void ObserveScores(const RollingAverageCriterion& criterion, const statistics::ScoreHistory& before,
                   const ScoreKind& kind, Observed& observed);
inline void ObserveScores(const auto&, const statistics::ScoreHistory&, const ScoreKind&,
                          Observed&) {}

// Fills whether it fires, what was compared, and what would have turned it.
void JudgeScore(const ThresholdCriterion& criterion, const ScoreKind& kind, Verdict& verdict);
void JudgeScore(const QuantileCriterion& criterion, const ScoreKind& kind, Verdict& verdict);
void JudgeScore(const RollingAverageCriterion& criterion, const ScoreKind& kind, Verdict& verdict);
void JudgeScore(const PValueCriterion& criterion, const ScoreKind& kind, Verdict& verdict);
// Of a score that a threshold was found for.
void JudgeScore(const AutoCriterion& criterion, const ScoreKind& kind, Verdict& verdict);

// What the score was held against, to go on with after it: "`at` is 0.8".
std::string ExplainScore(const ThresholdCriterion& criterion, const Verdict& verdict);
std::string ExplainScore(const QuantileCriterion& criterion, const Verdict& verdict);
std::string ExplainScore(const RollingAverageCriterion& criterion, const Verdict& verdict);
std::string ExplainScore(const PValueCriterion& criterion, const Verdict& verdict);
std::string ExplainScore(const AutoCriterion& criterion, const Verdict& verdict);

}  // namespace tidemill::supervisor

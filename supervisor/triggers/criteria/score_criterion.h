// Judges a score by a criterion: the numbers that the criterion computes from earlier scores, and
// its verdict.
//
// A verdict is a function of these observed numbers: "score"; "scores", the number of earlier
// scores; "quantile" or "mean" of the earlier scores; "p_value" and "test", the number of the test
// since the last training; "threshold" of an auto criterion.
#pragma once

#include <string>

#include "supervisor/statistics/criteria.h"
#include "supervisor/triggers/criteria/criterion_spec.h"
#include "supervisor/triggers/verdict_types.h"

namespace tidemill::supervisor {

// The score that is judged, in words: "accuracy".
struct ScoreKind {
  std::string name;
  statistics::BadSide bad = statistics::BadSide::kHigh;
};

// The number of earlier scores that a criterion looks back on. A criterion that needs none keeps
// one.
inline int64_t HistoryOf(const QuantileCriterion& criterion) { return criterion.history; }
inline int64_t HistoryOf(const RollingAverageCriterion& criterion) { return criterion.history; }
inline int64_t HistoryOf(const ThresholdCriterion&) { return 1; }
inline int64_t HistoryOf(const PValueCriterion&) { return 1; }
inline int64_t HistoryOf(const AutoCriterion&) { return 1; }
inline int64_t HistoryOf(const AvoidableErrorsCriterion&) { return 1; }

// Adds the numbers that the criterion computes from earlier scores to `observed`.
void ObserveScores(const QuantileCriterion& criterion, const statistics::ScoreHistory& before,
                   const ScoreKind& kind, Observed& observed);
void ObserveScores(const RollingAverageCriterion& criterion, const statistics::ScoreHistory& before,
                   const ScoreKind& kind, Observed& observed);
inline void ObserveScores(const auto&, const statistics::ScoreHistory&, const ScoreKind&,
                          Observed&) {}

// Fills in whether the verdict fired, the compared numbers, and the change that would have changed
// the answer.
void JudgeScore(const ThresholdCriterion& criterion, const ScoreKind& kind, Verdict& verdict);
void JudgeScore(const QuantileCriterion& criterion, const ScoreKind& kind, Verdict& verdict);
void JudgeScore(const RollingAverageCriterion& criterion, const ScoreKind& kind, Verdict& verdict);
void JudgeScore(const PValueCriterion& criterion, const ScoreKind& kind, Verdict& verdict);
// The same for a score whose threshold has been found.
void JudgeScore(const AutoCriterion& criterion, const ScoreKind& kind, Verdict& verdict);

// Describes the threshold of the score, as a continuation of the sentence: "`at` is 0.8".
std::string ExplainScore(const ThresholdCriterion& criterion, const Verdict& verdict);
std::string ExplainScore(const QuantileCriterion& criterion, const Verdict& verdict);
std::string ExplainScore(const RollingAverageCriterion& criterion, const Verdict& verdict);
std::string ExplainScore(const PValueCriterion& criterion, const Verdict& verdict);
std::string ExplainScore(const AutoCriterion& criterion, const Verdict& verdict);

}  // namespace tidemill::supervisor

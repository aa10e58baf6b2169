#include "supervisor/triggers/criteria/score_criterion.h"

#include <numeric>
#include <span>

#include "supervisor/statistics/multiple_testing.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {
namespace {

using statistics::BadSide;

// What a criterion over one number judges: the number that stands for all scores before, if there
// were any.
std::vector<double> Before(const Observed& observed, NumberName name) {
  if (ValueOf(observed, number::kScores) == 0) return {};
  return {ValueOf(observed, name)};
}

void Fill(const statistics::Verdict& judged, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed(), number::kScore);
  verdict.set_fired(judged.fired);
  // The first score is not compared.
  if (!judged.threshold) return;
  *verdict.mutable_comparison() = Compared(kind.name, score, *judged.threshold, "");
}

std::string ScoresBefore(const Observed& observed) {
  return Counted(ValueOf(observed, number::kScores), "score");
}

bool IsFirst(const Verdict& verdict) { return ValueOf(verdict.observed(), number::kScores) == 0; }

constexpr char kFirst[] = "this is the first score, so there is none to compare it with";

// The level of this test.
double LevelOf(const PValueCriterion& criterion, const Observed& observed) {
  if (!criterion.spend) return criterion.alpha;
  return statistics::SpentAlpha(criterion.alpha,
                                static_cast<int64_t>(ValueOf(observed, number::kTest)));
}

}  // namespace

void ObserveScores(const QuantileCriterion& criterion, const statistics::ScoreHistory& before,
                   const ScoreKind& kind, Observed& observed) {
  observed[number::kScores] = static_cast<double>(before.scores.size());
  if (before.scores.empty()) return;
  observed[number::kQuantile] = statistics::QuantileOf(
      before.scores, kind.bad == BadSide::kHigh ? 1 - criterion.tail : criterion.tail);
}

void ObserveScores(const RollingAverageCriterion&, const statistics::ScoreHistory& before,
                   const ScoreKind&, Observed& observed) {
  const auto n = static_cast<double>(before.scores.size());
  observed[number::kScores] = n;
  if (before.scores.empty()) return;
  observed[number::kMean] = std::accumulate(before.scores.begin(), before.scores.end(), 0.0) / n;
}

void JudgeScore(const ThresholdCriterion& criterion, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed(), number::kScore);
  Fill(statistics::JudgeByThreshold(score, criterion.at, kind.bad), kind, verdict);
  *verdict.mutable_nearest() = ChangeOf("criterion.at", criterion.at, score);
}

void JudgeScore(const QuantileCriterion& criterion, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed(), number::kScore);
  const std::vector<double> before = Before(verdict.observed(), number::kQuantile);
  Fill(statistics::JudgeByQuantile(score, before, criterion.tail, kind.bad), kind, verdict);
}

void JudgeScore(const RollingAverageCriterion& criterion, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed(), number::kScore);
  const std::vector<double> before = Before(verdict.observed(), number::kMean);
  Fill(statistics::JudgeByRollingAverage(score, before, criterion.deviation, criterion.relative,
                                         kind.bad),
       kind, verdict);
  if (before.empty()) return;
  double turning = kind.bad == BadSide::kHigh ? score - before[0] : before[0] - score;
  if (criterion.relative) turning /= before[0];
  // A score on the good side of the mean fires at no deviation.
  if (turning >= 0)
    *verdict.mutable_nearest() = ChangeOf("criterion.deviation", criterion.deviation, turning);
}

void JudgeScore(const PValueCriterion& criterion, const ScoreKind&, Verdict& verdict) {
  const double p = ValueOf(verdict.observed(), number::kPValue);
  const double level = LevelOf(criterion, verdict.observed());
  verdict.set_fired(statistics::JudgeByP(p, level).fired);
  *verdict.mutable_comparison() = Compared("p-value", p, level, "");
  *verdict.mutable_nearest() =
      ChangeOf("criterion.alpha", criterion.alpha, p * criterion.alpha / level);
}

void JudgeScore(const AutoCriterion&, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed(), number::kScore);
  const double threshold = ValueOf(verdict.observed(), number::kThreshold);
  Fill(statistics::JudgeByThreshold(score, threshold, kind.bad), kind, verdict);
}

std::string ExplainScore(const ThresholdCriterion& criterion, const Verdict&) {
  return fmt::format("`at` is {}", Figure(criterion.at));
}

std::string ExplainScore(const QuantileCriterion& criterion, const Verdict& verdict) {
  if (IsFirst(verdict)) return kFirst;
  return fmt::format("of the {} before, a share of {} is worse than {}",
                     ScoresBefore(verdict.observed()), Figure(criterion.tail),
                     Figure(ValueOf(verdict.observed(), number::kQuantile)));
}

std::string ExplainScore(const RollingAverageCriterion& criterion, const Verdict& verdict) {
  if (IsFirst(verdict)) return kFirst;
  const std::string deviation =
      criterion.relative ? Figure(100 * criterion.deviation) + " %" : Figure(criterion.deviation);
  return fmt::format("the mean of the {} before was {}, and {} worse than that is {}",
                     ScoresBefore(verdict.observed()),
                     Figure(ValueOf(verdict.observed(), number::kMean)), deviation,
                     Figure(verdict.comparison().threshold()));
}

std::string ExplainScore(const PValueCriterion& criterion, const Verdict& verdict) {
  const std::string p = Figure(ValueOf(verdict.observed(), number::kPValue));
  if (!criterion.spend)
    return fmt::format("p was {} and `alpha` is {}", p, Figure(criterion.alpha));
  return fmt::format("p was {}; of `alpha` {}, test {} since the last training may spend {}", p,
                     Figure(criterion.alpha), Figure(ValueOf(verdict.observed(), number::kTest)),
                     Figure(LevelOf(criterion, verdict.observed())));
}

std::string ExplainScore(const AutoCriterion& criterion, const Verdict& verdict) {
  return fmt::format(
      "without drift, one of {} reaches {} ({} a month are accepted)",
      Counted(ValueOf(verdict.observed(), number::kEvaluationsPerAlarm), "evaluation"),
      Figure(ValueOf(verdict.observed(), number::kThreshold)),
      Counted(criterion.alarms_per_month, "false alarm"));
}

}  // namespace tidemill::supervisor

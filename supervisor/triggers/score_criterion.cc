#include "supervisor/triggers/score_criterion.h"

#include <numeric>
#include <span>

#include "supervisor/statistics/multiple_testing.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {
namespace {

using statistics::BadSide;

// What a criterion over one number judges: the number that stands for all scores before, if there
// were any.
std::vector<double> Before(const Observed& observed, const char* name) {
  if (ValueOf(observed, "scores") == 0) return {};
  return {ValueOf(observed, name)};
}

void Fill(const statistics::Verdict& judged, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed, "score");
  verdict.fired = judged.fired;
  // The first score is held against nothing.
  if (!judged.threshold) return;
  verdict.comparison = Comparison{kind.name, score, *judged.threshold, ""};
}

std::string ScoresBefore(const Observed& observed) {
  return Counted(ValueOf(observed, "scores"), "score");
}

bool IsFirst(const Verdict& verdict) { return ValueOf(verdict.observed, "scores") == 0; }

constexpr char kFirst[] = "this is the first score, so there is none to compare it with";

// The level of this test.
double LevelOf(const PValueCriterion& criterion, const Observed& observed) {
  if (!criterion.spend) return criterion.alpha;
  return statistics::SpentAlpha(criterion.alpha, static_cast<int64_t>(ValueOf(observed, "test")));
}

}  // namespace

void ObserveScores(const QuantileCriterion& criterion, const statistics::ScoreHistory& before,
                   const ScoreKind& kind, Observed& observed) {
  observed["scores"] = static_cast<double>(before.scores.size());
  if (before.scores.empty()) return;
  observed["quantile"] = statistics::QuantileOf(
      before.scores, kind.bad == BadSide::kHigh ? 1 - criterion.tail : criterion.tail);
}

void ObserveScores(const RollingAverageCriterion&, const statistics::ScoreHistory& before,
                   const ScoreKind&, Observed& observed) {
  const auto n = static_cast<double>(before.scores.size());
  observed["scores"] = n;
  if (before.scores.empty()) return;
  observed["mean"] = std::accumulate(before.scores.begin(), before.scores.end(), 0.0) / n;
}

void JudgeScore(const ThresholdCriterion& criterion, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed, "score");
  Fill(statistics::JudgeByThreshold(score, criterion.at, kind.bad), kind, verdict);
  verdict.nearest = Change{"criterion.at", criterion.at, score};
}

void JudgeScore(const QuantileCriterion& criterion, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed, "score");
  const std::vector<double> before = Before(verdict.observed, "quantile");
  Fill(statistics::JudgeByQuantile(score, before, criterion.tail, kind.bad), kind, verdict);
}

void JudgeScore(const RollingAverageCriterion& criterion, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed, "score");
  const std::vector<double> before = Before(verdict.observed, "mean");
  Fill(statistics::JudgeByRollingAverage(score, before, criterion.deviation, criterion.relative,
                                         kind.bad),
       kind, verdict);
  if (before.empty()) return;
  double turning = kind.bad == BadSide::kHigh ? score - before[0] : before[0] - score;
  if (criterion.relative) turning /= before[0];
  // A score on the good side of the mean fires at no deviation.
  if (turning >= 0) verdict.nearest = Change{"criterion.deviation", criterion.deviation, turning};
}

void JudgeScore(const PValueCriterion& criterion, const ScoreKind&, Verdict& verdict) {
  const double p = ValueOf(verdict.observed, "p_value");
  const double level = LevelOf(criterion, verdict.observed);
  verdict.fired = statistics::JudgeByP(p, level).fired;
  verdict.comparison = Comparison{"p-value", p, level, ""};
  verdict.nearest = Change{"criterion.alpha", criterion.alpha, p * criterion.alpha / level};
}

void JudgeScore(const AutoCriterion&, const ScoreKind& kind, Verdict& verdict) {
  const double score = ValueOf(verdict.observed, "score");
  const double threshold = ValueOf(verdict.observed, "threshold");
  Fill(statistics::JudgeByThreshold(score, threshold, kind.bad), kind, verdict);
}

std::string ExplainScore(const ThresholdCriterion& criterion, const Verdict&) {
  return fmt::format("`at` is {}", Figure(criterion.at));
}

std::string ExplainScore(const QuantileCriterion& criterion, const Verdict& verdict) {
  if (IsFirst(verdict)) return kFirst;
  return fmt::format("of the {} before, a share of {} is worse than {}",
                     ScoresBefore(verdict.observed), Figure(criterion.tail),
                     Figure(ValueOf(verdict.observed, "quantile")));
}

std::string ExplainScore(const RollingAverageCriterion& criterion, const Verdict& verdict) {
  if (IsFirst(verdict)) return kFirst;
  const std::string deviation =
      criterion.relative ? Figure(100 * criterion.deviation) + " %" : Figure(criterion.deviation);
  return fmt::format("the mean of the {} before was {}, and {} worse than that is {}",
                     ScoresBefore(verdict.observed), Figure(ValueOf(verdict.observed, "mean")),
                     deviation, Figure(verdict.comparison.value_or(Comparison()).threshold));
}

std::string ExplainScore(const PValueCriterion& criterion, const Verdict& verdict) {
  const std::string p = Figure(ValueOf(verdict.observed, "p_value"));
  if (!criterion.spend)
    return fmt::format("p was {} and `alpha` is {}", p, Figure(criterion.alpha));
  return fmt::format("p was {}; of `alpha` {}, test {} since the last training may spend {}", p,
                     Figure(criterion.alpha), Figure(ValueOf(verdict.observed, "test")),
                     Figure(LevelOf(criterion, verdict.observed)));
}

std::string ExplainScore(const AutoCriterion& criterion, const Verdict& verdict) {
  return fmt::format("without drift, one of {} reaches {} ({} a month are accepted)",
                     Counted(ValueOf(verdict.observed, "evaluations_per_alarm"), "evaluation"),
                     Figure(ValueOf(verdict.observed, "threshold")),
                     Counted(criterion.alarms_per_month, "false alarm"));
}

}  // namespace tidemill::supervisor

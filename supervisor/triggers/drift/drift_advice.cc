// The reasons why a drift policy is useless: criteria that nothing can meet, windows that never
// fill, and shares of what has no columns.
#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "fmt/format.h"

#include "supervisor/statistics/false_alarms.h"
#include "supervisor/statistics/two_samples/drifted_share.h"
#include "supervisor/triggers/criteria/silent_criteria.h"
#include "supervisor/triggers/drift/drift_trigger.h"
#include "supervisor/triggers/first_training.h"

namespace tidemill::supervisor {
namespace {

// If as many alarms as evaluations are accepted, any score fires.
std::vector<config::Remark> FindAlarms(const AutoCriterion& criterion, double evaluations) {
  if (evaluations > criterion.alarms_per_month) return FindSilence(criterion, evaluations);
  return {
      {.path = "criterion",
       .message = fmt::format("{:.3g} false alarms a month are accepted out of {:.3g} evaluations "
                              "a month, so each evaluation fires, whatever the score",
                              criterion.alarms_per_month, evaluations),
       .hint =
           fmt::format("write alarms_per_month: {:.2g}, or evaluate more often", evaluations / 10),
       .is_error = false}};
}

// How often it is evaluated in a month, if that is known.
std::optional<double> EvaluationsAMonth(const DriftTrigger& spec, const StreamFacts& stream) {
  if (spec.evaluate.every) return statistics::EvaluationsPerMonth(*spec.evaluate.every);
  if (!stream.step || stream.step->micros <= 0) return std::nullopt;
  return statistics::EvaluationsPerMonth(*stream.step) /
         static_cast<double>(*spec.evaluate.samples);
}

std::vector<config::Remark> FindSilent(const AutoCriterion& criterion, const DriftTrigger& spec,
                                       const StreamFacts& stream) {
  const auto evaluations = EvaluationsAMonth(spec, stream);
  if (!evaluations) return {};
  std::vector<config::Remark> remarks = FindAlarms(criterion, *evaluations);
  // The data says so, not the pipeline alone.
  for (config::Remark& remark : remarks) remark.is_error &= spec.evaluate.every.has_value();
  return remarks;
}

std::vector<config::Remark> FindSilent(const PValueCriterion& criterion, const DriftTrigger& spec,
                                       const StreamFacts& /*stream*/) {
  const int64_t reference = spec.reference.Rows(spec.rows);
  const int64_t current = spec.current.Rows(spec.rows);
  const auto* ks = std::get_if<statistics::KsStatistic>(&spec.statistic);
  const bool adds_up = ks != nullptr && ks->correction == statistics::Correction::kBonferroni;
  const auto num_columns = adds_up ? std::max<int64_t>(1, std::ssize(spec.columns)) : int64_t{1};
  return FindSilence(criterion, LeastPValue(spec.statistic, reference, current, num_columns));
}

// Criteria of the score itself.
std::vector<config::Remark> FindSilent(const auto& criterion, const DriftTrigger& spec,
                                       const StreamFacts& /*stream*/) {
  return FindSilence(criterion, ScoreKindOf(spec), RangeOf(spec.statistic));
}

// Statistics that need more rows than the windows have.
std::vector<config::Remark> FindSmallWindows(const DriftTrigger& spec) {
  constexpr int64_t kLeast = 4;
  const auto* mmd = std::get_if<statistics::MmdStatistic>(&spec.statistic);
  const bool needs_four = std::holds_alternative<statistics::ClassifierStatistic>(spec.statistic) ||
                          (mmd != nullptr && mmd->estimator == statistics::MmdEstimator::kLinear);
  if (!needs_four) return {};
  if (spec.reference.Rows(spec.rows) >= kLeast && spec.current.Rows(spec.rows) >= kLeast) {
    return {};
  }
  return {{.path = "statistic",
           .message = "says nothing of windows with fewer than 4 rows, so that nothing fires",
           .hint = "write larger windows and more rows"}};
}

}  // namespace

void CheckShare(const DriftTrigger& spec, config::Problems& problems) {
  if (spec.of != DriftOf::kColumns) {
    problems.Add("drifted_share", "is of columns", "write of: columns, or leave it out");
  } else if (!statistics::IsByColumn(spec.statistic)) {
    problems.Add("drifted_share", "needs a statistic by column, and this one compares whole rows",
                 "write statistic: ks");
  } else if (std::holds_alternative<AutoCriterion>(spec.criterion)) {
    problems.Add("drifted_share",
                 "and criterion: auto, whose threshold is for the column that "
                 "drifted most, exclude each other",
                 "write another criterion, such as p_value");
  } else if (std::holds_alternative<PValueCriterion>(spec.criterion) &&
             !statistics::HasColumnPValues(spec.statistic)) {
    problems.Add("drifted_share",
                 "needs a p-value of each column, and permutations give one for all",
                 "write statistic: ks or cvm, or criterion: threshold");
  }
}

std::vector<config::Remark> TriggerOf<DriftTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks = std::visit(
      [&](const auto& criterion) { return FindSilent(criterion, spec_, stream); }, spec_.criterion);
  const auto add = [&](std::vector<config::Remark> more) {
    remarks.insert(remarks.end(), more.begin(), more.end());
  };
  add(FindSmallWindows(spec_));
  add(FindOutOfReach("first", spec_.first, stream));
  if (!spec_.current.length)
    add(FindOutOfReach("current.samples", spec_.current.Samples(), stream));
  add(FindOutOfReach("evaluate.samples", spec_.evaluate.samples, stream));
  if (!spec_.warm_up && spec_.evaluate.samples) {
    AddTinyFirst(std::max(*spec_.evaluate.samples, spec_.first.value_or(0)), remarks);
  }
  return remarks;
}

}  // namespace tidemill::supervisor

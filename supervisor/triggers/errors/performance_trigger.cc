// After Boether et al., Modyn (SIGMOD'25). The first interval after a training, on which the new
// model was not trained, shows what it achieves.
#include "supervisor/triggers/errors/performance_trigger.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "expressions/expression.h"
#include "supervisor/statistics/forecasts/avoidable_errors.h"
#include "supervisor/statistics/forecasts/forecast.h"
#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/criteria/score_criterion.h"
#include "supervisor/triggers/criteria/silent_criteria.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/label_check.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/plain/evaluation_points.h"
#include "supervisor/triggers/rule_trigger.h"

namespace tidemill::supervisor {
namespace {

using statistics::ScoreHistory;

// Accuracies that a forecast rests on, at most.
constexpr int64_t kMaxAccuracies = 100;

struct PerformanceState {
  std::optional<Cut> from = std::nullopt;  // Up to here samples have been looked at.
  bool has_model = false;
  bool is_new = false;      // No interval since the last training has been looked at.
  int64_t num_samples = 0;  // Since the last training.
  statistics::AvoidableErrors avoidable = {};
  ScoreHistory accuracies = {.most = kMaxAccuracies};  // Since the last training.
  ScoreHistory new_models = {};                        // The score of each on its first interval.
  ScoreHistory scores = {};

  void Fields(auto&& field) {
    field("from", from);
    field("has_model", has_model);
    field("is_new", is_new);
    field("num_samples", num_samples);
    field("avoidable", avoidable);
    field("accuracies", accuracies);
    field("new_models", new_models);
    field("scores", scores);
  }
};

class PerformancePolicy final : public TriggerPolicy {
 public:
  explicit PerformancePolicy(const PerformanceTrigger& spec)
      : spec_(spec), kind_(KindOf(spec.measure)), points_(spec.evaluate, spec.warm_up) {
    state_.scores.most =
        std::visit([](const auto& criterion) { return HistoryOf(criterion); }, spec.criterion);
    if (Avoidable() != nullptr) state_.new_models.most = Avoidable()->trainings;
  }

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override {
    return points_.NextPoint(ahead, clock);
  }
  void Take(Samples samples) override {
    points_.Take(samples);
    state_.num_samples += static_cast<int64_t>(samples.size());
  }
  std::vector<EvidenceRequest> Needs(const Cut& at) const override {
    if (!state_.has_model || !points_.EvaluatesAt(at)) return {};
    return {
        {.kind = IsMeanOfErrors(spec_.measure) ? EvidenceKind::kErrors : EvidenceKind::kOutcomes,
         .from = state_.from,
         .to = at,
         .where = spec_.where.value_or("")}};
  }
  absl::StatusOr<Verdict> Decide(const Evidence& evidence) override {
    Observed observed = points_.Pass(evidence);
    observed[number::kSamples] = static_cast<double>(state_.num_samples);
    observed[number::kModel] = state_.has_model ? 1 : 0;
    if (!evidence.tables.empty()) {
      Look(evidence.tables[0], observed);
      state_.from = evidence.at;
    }
    return Judge(spec_, observed);
  }
  void Fired(const Cut& at) override {
    points_.Fired(at);
    state_.from = at;
    state_.has_model = true;
    state_.is_new = true;
    state_.num_samples = 0;
    state_.avoidable.Reset();
    state_.accuracies.scores.clear();
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
  }

 private:
  const AvoidableErrorsCriterion* Avoidable() const {
    return std::get_if<AvoidableErrorsCriterion>(&spec_.criterion);
  }

  // Looks at an interval, by the errors of its samples or by their outcomes.
  void Look(const EvidenceTable& interval, Observed& observed) {
    observed[number::kRows] = static_cast<double>(interval.num_rows);
    observed[number::kMissing] = static_cast<double>(interval.num_missing);
    if (interval.num_rows == 0) return;
    const std::optional<double> score = IsMeanOfErrors(spec_.measure)
                                            ? ScoreOfErrors(interval, observed)
                                            : ScoreOf(spec_.measure, interval);
    if (!score) return;
    observed[number::kScore] = *score;
    std::visit([&](const auto& own) { ObserveScores(own, state_.scores, kind_, observed); },
               spec_.criterion);
    state_.scores.Add(*score);
  }

  double ScoreOfErrors(const EvidenceTable& errors, Observed& observed) {
    const double sum = std::accumulate(errors.values.begin(), errors.values.end(), 0.0);
    const double mean = sum / static_cast<double>(errors.num_rows);
    const double score = IsAccuracy(spec_.measure) ? 1 - mean : mean;
    observed[number::kErrors] = sum;
    if (Avoidable() != nullptr) {
      Count(*Avoidable(), score, std::llround(sum), errors.num_rows, observed);
    }
    return score;
  }

  void Count(const AvoidableErrorsCriterion& criterion, double accuracy, int64_t num_errors,
             int64_t num_rows, Observed& observed) {
    if (std::exchange(state_.is_new, false)) state_.new_models.Add(accuracy);
    state_.accuracies.Add(accuracy);
    const double expected = criterion.expected_accuracy.value_or(statistics::ForecastNextShare(
        state_.new_models.scores, statistics::ForecastMethod::kRollingAverage));
    state_.avoidable.Add(num_errors, num_rows, expected, criterion.may_fall);
    observed[number::kExpectedAccuracy] = expected;
    observed[number::kAvoidable] = static_cast<double>(state_.avoidable.count);
    if (!criterion.forecast) return;
    const double forecast =
        statistics::ForecastNextShare(state_.accuracies.scores, *criterion.forecast);
    observed[number::kForecastAccuracy] = forecast;
    observed[number::kAvoidableAhead] = state_.avoidable.Ahead(num_rows, forecast, expected);
  }

  const PerformanceTrigger spec_;
  const ScoreKind kind_;
  EvaluationPoints points_;
  PerformanceState state_;
};

// The greater one of what there are and what is forecast.
double CountOf(const Observed& observed) {
  const double count = ValueOf(observed, number::kAvoidable);
  if (!observed.contains(number::kAvoidableAhead)) return count;
  return std::max(count, ValueOf(observed, number::kAvoidableAhead));
}

void JudgeScore(const AvoidableErrorsCriterion& criterion, const ScoreKind&, Verdict& verdict) {
  const double count = CountOf(verdict.observed());
  const auto wanted = static_cast<double>(criterion.at_least);
  verdict.set_fired(count >= wanted);
  *verdict.mutable_comparison() = Compared("avoidable mistakes", count, wanted, "mistakes");
  *verdict.mutable_nearest() = ChangeOf("criterion.at_least", wanted, count);
}

std::string ExplainScore(const AvoidableErrorsCriterion& criterion, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  std::string text =
      fmt::format("a new model is expected to reach {}, which makes {} since the last training",
                  Figure(ValueOf(seen, number::kExpectedAccuracy)),
                  Counted(ValueOf(seen, number::kAvoidable), "avoidable mistake"));
  if (seen.contains(number::kAvoidableAhead)) {
    text += fmt::format(", and {} after the next interval at the forecast accuracy of {}",
                        Figure(ValueOf(seen, number::kAvoidableAhead)),
                        Figure(ValueOf(seen, number::kForecastAccuracy)));
  }
  return text + fmt::format("; `at_least` is {}", Figure(static_cast<double>(criterion.at_least)));
}

std::string ExplainInterval(const PerformanceTrigger& spec, const Observed& seen) {
  const std::string samples = Counted(ValueOf(seen, number::kRows), "sample");
  const std::string score = Figure(ValueOf(seen, number::kScore));
  if (!IsAccuracy(spec.measure)) {
    return fmt::format("the {} of {} was {}", KindOf(spec.measure).name, samples, score);
  }
  return fmt::format("of {} the model got {} wrong, an accuracy of {}", samples,
                     Figure(ValueOf(seen, number::kErrors)), score);
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const PerformanceTrigger& spec) {
  return std::make_unique<PerformancePolicy>(spec);
}

Verdict Judge(const PerformanceTrigger& spec, const Observed& observed) {
  if (auto warm = JudgeWarmUp(spec.warm_up, PerformanceTrigger::kType, observed)) return *warm;
  Verdict verdict = NewVerdict(PerformanceTrigger::kType, observed);
  if (ValueOf(observed, number::kModel) == 0) {
    JudgeFirstTraining(spec.first, verdict);
    return verdict;
  }
  if (!observed.contains(number::kScore)) {
    *verdict.mutable_comparison() =
        Awaited(ValueOf(observed, number::kRows) == 0 ? "samples that could be looked at"
                                                      : "scores of the interval",
                0, 1, ValueOf(observed, number::kRows) == 0 ? "samples" : "scores");
    return verdict;
  }
  std::visit([&](const auto& criterion) { JudgeScore(criterion, KindOf(spec.measure), verdict); },
             spec.criterion);
  return verdict;
}

std::string Explain(const PerformanceTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  if (auto warm = ExplainWarmUp(spec.warm_up, verdict)) return *warm;
  if (ValueOf(seen, number::kModel) == 0) {
    return ExplainFirstTraining(spec.first, seen);
  }
  if (!seen.contains(number::kScore)) {
    if (ValueOf(seen, number::kRows) == 0)
      return "no sample since the last evaluation could be looked at";
    return fmt::format("{} is undefined on the {} since the last evaluation",
                       KindOf(spec.measure).name, Counted(ValueOf(seen, number::kRows), "sample"));
  }
  return ExplainInterval(spec, seen) + "; " +
         std::visit([&](const auto& criterion) { return ExplainScore(criterion, verdict); },
                    spec.criterion);
}

void PerformanceTrigger::Check(config::Problems& problems) const {
  if (where) {
    const auto parsed = expressions::Expression::Parse(*where);
    if (!parsed.ok()) problems.Add("where", std::string(parsed.status().message()), "");
  }
  if (IsAccuracy(measure)) return;
  if (!std::holds_alternative<AvoidableErrorsCriterion>(criterion)) return;
  problems.Add("criterion", "counts mistakes, which measure: accuracy does alone",
               "write type: threshold, or measure: accuracy");
}

TriggerNeeds NeedsOf(const PerformanceTrigger&) { return {.model_answers = true, .samples = true}; }

namespace {

void CheckMeasure(const PerformanceMeasure& measure, const transform::DescribedSamples& samples,
                  config::Problems& problems) {
  const evaluator::Measure& own = measure->measure();
  const bool of_classes = *own.IsOfClasses();
  CheckMistakes(samples, "measure", of_classes, problems);
  const transform::LabelKind label = samples.schema.label;
  if (label == transform::LabelKind::kClass && !of_classes) {
    problems.Add("measure",
                 fmt::format("compares numbers, but the label of '{}' is a class", samples.dataset),
                 "write a measure of classes, such as accuracy or roc_auc");
  } else if (label == transform::LabelKind::kClass && samples.schema.num_classes > 0) {
    const config::Problems::Scope scope(problems, "measure");
    own.CheckClasses(samples.schema.num_classes, problems);
  }
}

}  // namespace

void TriggerOf<PerformanceTrigger>::CheckSamples(const transform::DescribedSamples& samples,
                                                 config::Problems& problems) const {
  CheckMeasure(spec_.measure, samples, problems);
  if (!spec_.where) return;
  expressions::KnownColumns columns;
  columns.columns = {{.name = "@time", .type = expressions::Type::kTime}, {.name = "@label"}};
  columns.others = !samples.schema.columns.has_value();
  columns.numbers = samples.schema.csv.numbers;
  columns.time_zone = samples.schema.time_zone;
  for (const std::string& name : samples.schema.columns.value_or(std::vector<std::string>())) {
    columns.columns.push_back({.name = name});
  }
  const auto parsed = expressions::Expression::Parse(*spec_.where);
  if (!parsed.ok()) return;  // Check() says so.
  const auto compiled = expressions::Compile(*parsed, columns, expressions::Type::kTruth);
  if (!compiled.ok()) problems.Add("where", std::string(compiled.status().message()), "");
}

std::vector<config::Remark> TriggerOf<PerformanceTrigger>::Advise(const StreamFacts& stream) const {
  const ScoreRange range = RangeOf(spec_.measure);
  std::vector<config::Remark> remarks = std::visit(
      [&]<typename Criterion>(const Criterion& criterion) -> std::vector<config::Remark> {
        if constexpr (std::is_same_v<Criterion, AvoidableErrorsCriterion>) {
          if (criterion.expected_accuracy != 0) return {};
          return {{.path = "criterion.expected_accuracy",
                   .message =
                       "expects that a new model is always wrong, so no mistake is avoidable "
                       "and nothing fires",
                   .hint = "write an accuracy above 0, or leave it out"}};
        } else {
          return FindSilence(criterion, KindOf(spec_.measure), range);
        }
      },
      spec_.criterion);
  const auto add = [&](std::vector<config::Remark> more) {
    remarks.insert(remarks.end(), more.begin(), more.end());
  };
  add(FindOutOfReach("first", spec_.first, stream));
  add(FindOutOfReach("evaluate.samples", spec_.evaluate.samples, stream));
  if (!spec_.warm_up && spec_.evaluate.samples) {
    AddTinyFirst(std::max(*spec_.evaluate.samples, spec_.first.value_or(0)), remarks);
  }
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, PerformanceTrigger)

}  // namespace tidemill::supervisor

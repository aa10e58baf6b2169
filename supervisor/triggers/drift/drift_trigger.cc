// After Boether et al., Modyn (SIGMOD'25), with windows that the cut of the last training parts: a
// sample is never in both.
#include "supervisor/triggers/drift/drift_trigger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "supervisor/statistics/false_alarms.h"
#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/criteria/false_alarm_threshold.h"
#include "supervisor/triggers/criteria/score_criterion.h"
#include "supervisor/triggers/drift/drift_columns.h"
#include "supervisor/triggers/drift/drift_overlap.h"
#include "supervisor/triggers/drift/stream_marks.h"
#include "supervisor/triggers/drift/window_rows.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/plain/evaluation_points.h"
#include "supervisor/triggers/rule_trigger.h"

// The picture of the two windows is in drift_trigger.h.

namespace tidemill::supervisor {
namespace {

void CheckLevel(const statistics::DriftStatistic& statistic, const PValueCriterion& criterion,
                config::Problems& problems) {
  const auto least = statistics::LeastPValue(statistic);
  if (!least) {
    problems.Add("criterion", "needs a p-value, but the statistic has none",
                 "add permutations: 1000 to it, or write statistic: ks");
  } else if (*least >= criterion.alpha) {
    problems.Add(
        "criterion.alpha",
        fmt::format("is never reached, because so few permutations give no p-value below {:.3g}",
                    *least),
        "write more permutations");
  }
}

EvidenceKind KindOf(DriftOf of) {
  switch (of) {
    case DriftOf::kEmbeddings:
      return EvidenceKind::kEmbeddings;
    case DriftOf::kPredictions:
      return EvidenceKind::kPredictions;
    case DriftOf::kLabels:
      return EvidenceKind::kLabels;
    case DriftOf::kColumns:
      break;
  }
  return EvidenceKind::kColumns;
}

std::string NameOf(DriftOf of) {
  for (const auto& [value, name] : config::EnumNames<DriftOf>::kNames) {
    if (value == of) return std::string(name);
  }
  return "";
}

double Seconds(Duration length) { return static_cast<double>(length.micros) / 1e6; }

double Seconds(Timestamp from, Timestamp to) {
  return static_cast<double>(to.micros - from.micros) / 1e6;
}

struct DriftState {
  // The cut of the last training; where to look for the samples before it.
  std::optional<Cut> trained = std::nullopt;
  std::optional<Cut> reference_from = std::nullopt;
  std::optional<Cut> history_from = std::nullopt;
  int64_t num_before = 0;  // Samples before it.
  int64_t tests = 0;       // Since.
  int64_t draws = 0;       // Windows compared since the beginning: each draws its own numbers.
  statistics::ScoreHistory scores = {};
  FalseAlarmThreshold threshold = {};

  void Fields(auto&& field) {
    field("trained", trained);
    field("reference_from", reference_from);
    field("history_from", history_from);
    field("num_before", num_before);
    field("tests", tests);
    field("draws", draws);
    field("scores", scores);
    field("threshold", threshold);
  }
};

class DriftPolicy final : public TriggerPolicy {
 public:
  explicit DriftPolicy(const DriftTrigger& spec)
      : spec_(spec), kind_(ScoreKindOf(spec)), points_(spec.evaluate, spec.warm_up) {
    state_.scores.most =
        std::visit([](const auto& criterion) { return HistoryOf(criterion); }, spec.criterion);
    marks_.reach =
        std::max({spec.reference.Samples(), spec.current.Samples(), Auto() ? Auto()->history : 0});
  }

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override {
    return points_.NextPoint(ahead, clock);
  }
  void Take(Samples samples) override {
    points_.Take(samples);
    marks_.Take(samples);
  }
  std::vector<EvidenceRequest> Needs(const Cut& at) const override {
    if (!points_.EvaluatesAt(at) || !IsFull(at)) return {};
    std::vector<EvidenceRequest> needs = {Reference(), Current(at)};
    if (NeedsThreshold()) needs.push_back(History());
    return needs;
  }
  absl::StatusOr<Verdict> Decide(const Evidence& evidence) override {
    Observed observed = points_.Pass(evidence);
    observed[number::kSamples] = static_cast<double>(NumNew());
    observed[number::kModel] = state_.trained ? 1 : 0;
    if (state_.trained) {
      observed[number::kSeconds] = Seconds(state_.trained->event_time, evidence.at.event_time);
    }
    if (evidence.tables.size() >= 2) Compare(evidence, observed);
    marks_.Mark(evidence.at);
    return Judge(spec_, observed);
  }
  void Fired(const Cut& at) override {
    points_.Fired(at);
    marks_.Mark(at);
    state_.trained = at;
    state_.reference_from = From(spec_.reference, at);
    state_.history_from = Auto() ? marks_.Before(Auto()->history) : std::nullopt;
    state_.num_before = marks_.num_samples;
    state_.tests = 0;
    state_.threshold = {};
  }
  void NoModel() override { state_.trained.reset(); }
  std::string Standing() const override { return points_.Standing(); }
  nlohmann::json Seal() const override { return statistics::SealState(*this); }
  absl::Status Restore(const nlohmann::json& state) override {
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    field("points", points_);
    field("marks", marks_);
    field("state", state_);
  }

 private:
  const AutoCriterion* Auto() const { return std::get_if<AutoCriterion>(&spec_.criterion); }
  // Samples since the last training.
  int64_t NumNew() const { return marks_.num_samples - state_.num_before; }
  bool NeedsThreshold() const { return Auto() != nullptr && !state_.threshold.sought; }

  bool IsFull(const Cut& at) const {
    if (!state_.trained) return false;
    if (!spec_.current.length) return NumNew() >= spec_.current.Samples();
    return at.event_time.micros - state_.trained->event_time.micros >= spec_.current.length->micros;
  }

  // A place no later than where the window that ends at `to`, so far the end of the stream, begins.
  std::optional<Cut> From(const SampleWindow& window, const Cut& to) const {
    if (!window.length) return marks_.Before(window.Samples());
    return Cut{{to.event_time.micros - window.length->micros}, {0}};
  }
  EvidenceRequest Reference() const {
    return {.kind = KindOf(spec_.of),
            .from = state_.reference_from,
            .to = *state_.trained,
            .newest = spec_.reference.Samples(),
            .most_rows = spec_.rows,
            .columns = spec_.columns,
            .may_lack = true};
  }
  EvidenceRequest Current(const Cut& at) const {
    return {.kind = KindOf(spec_.of),
            .from = std::max(*state_.trained, From(spec_.current, at).value_or(*state_.trained)),
            .to = at,
            .newest = spec_.current.Samples(),
            .most_rows = spec_.rows,
            .columns = spec_.columns,
            .may_lack = true};
  }
  EvidenceRequest History() const {
    return {.kind = KindOf(spec_.of),
            .from = state_.history_from,
            .to = *state_.trained,
            .newest = Auto()->history,
            .columns = spec_.columns,
            .may_lack = true};
  }

  WindowRows RowsIn(const EvidenceTable& table) const {
    return WindowRows(table, statistics::IsByColumn(spec_.statistic));
  }

  // Looks at both windows, and at the history until a threshold is found.
  void Compare(const Evidence& evidence, Observed& observed) {
    const WindowRows reference = RowsIn(evidence.tables[0]);
    const WindowRows current = RowsIn(evidence.tables[1]);
    ObserveRows(reference, current, observed);
    if (!CanBeCompared(observed)) return;
    if (Auto() != nullptr) FindThreshold(evidence, observed);
    auto score = statistics::CompareWindows(spec_.statistic, RowsOf(evidence.tables[0]),
                                            RowsOf(evidence.tables[1]), spec_.seed + state_.draws,
                                            {.reference_samples = reference.num_samples,
                                             .current_samples = current.num_samples,
                                             .stop = evidence.stop});
    // The windows have other columns: what is looked at has changed.
    if (!score.ok()) return;
    ++state_.draws;
    if (spec_.drifted_share) TakeShare(*spec_.drifted_share, *score, observed);
    observed[number::kScore] = score->score;
    observed[number::kTest] = static_cast<double>(++state_.tests);
    if (score->p_value) observed[number::kPValue] = *score->p_value;
    if (!score->columns.empty()) ObserveColumn(*score, reference, current, observed);
    std::visit([&](const auto& own) { ObserveScores(own, state_.scores, kind_, observed); },
               spec_.criterion);
    state_.scores.Add(score->score);
  }

  void FindThreshold(const Evidence& evidence, Observed& observed) {
    const Timestamp at = evidence.at.event_time;
    if (NeedsThreshold() && evidence.tables.size() == 3) {
      const double rate = marks_.Rate(at);
      const double per_month =
          spec_.evaluate.every
              ? statistics::EvaluationsPerMonth(*spec_.evaluate.every)
              : rate * statistics::kSecondsPerMonth / static_cast<double>(*spec_.evaluate.samples);
      state_.threshold =
          FindFalseAlarmThreshold(*Auto(), RowsOf(evidence.tables[2]), spec_.statistic,
                                  {.reference_rows = RowsIn(evidence.tables[0]).num_rows,
                                   .current_rows = RowsIn(evidence.tables[1]).num_rows,
                                   .evaluations_per_month = per_month,
                                   .seed = spec_.seed,
                                   .stop = evidence.stop,
                                   .new_share = NewShare(spec_.evaluate, spec_.current, rate)});
    }
    Observe(state_.threshold, observed);
    observed[number::kSamplesBefore] = static_cast<double>(state_.num_before);
  }

  const DriftTrigger spec_;
  const ScoreKind kind_;
  EvaluationPoints points_;
  StreamMarks marks_;
  DriftState state_;
};

// Samples before a training in which a threshold can be sought: `history`, or, so that data of
// fewer samples find one, too, twice as many as both windows take.
double WantedHistory(const DriftTrigger& spec, const AutoCriterion& criterion,
                     const Observed& observed) {
  const double current = std::max(ValueOf(observed, number::kCurrentRows),
                                  static_cast<double>(spec.current.Samples()));
  double reference = ValueOf(observed, number::kReferenceRows);
  if (!spec.reference.length) {
    reference = std::max(reference, static_cast<double>(spec.reference.Samples()));
  } else if (spec.current.length) {
    reference = std::max(reference,
                         current * Seconds(*spec.reference.length) / Seconds(*spec.current.length));
  }
  return std::min(static_cast<double>(criterion.history), std::ceil(2 * (reference + current)));
}

// Whether the training came before there were samples enough to find a threshold, and now there
// are: after another training it can be found.
bool HasHistoryNow(const DriftTrigger& spec, const AutoCriterion& criterion,
                   const Observed& observed) {
  const double wanted = WantedHistory(spec, criterion, observed);
  const double before = ValueOf(observed, number::kSamplesBefore);
  return before < wanted && before + ValueOf(observed, number::kSamples) >= wanted;
}

// Whether every evaluation may be a false alarm. Then any score fires.
bool MayAlwaysFire(const AutoCriterion& criterion, const Observed& observed) {
  const double evaluations = ValueOf(observed, number::kEvaluationsPerMonth);
  return evaluations > 0 && evaluations <= criterion.alarms_per_month;
}

void JudgeWithoutThreshold(const DriftTrigger& spec, const AutoCriterion& criterion,
                           Verdict& verdict) {
  if (MayAlwaysFire(criterion, verdict.observed())) {
    const double evaluations = ValueOf(verdict.observed(), number::kEvaluationsPerMonth);
    verdict.set_fired(true);
    *verdict.mutable_comparison() =
        Compared("evaluations a month", evaluations, criterion.alarms_per_month, "evaluations");
    *verdict.mutable_nearest() =
        ChangeOf("criterion.alarms_per_month", criterion.alarms_per_month, evaluations);
    return;
  }
  const double before = ValueOf(verdict.observed(), number::kSamplesBefore);
  verdict.set_fired(HasHistoryNow(spec, criterion, verdict.observed()));
  *verdict.mutable_comparison() = Awaited(
      "samples to find a threshold with", before + ValueOf(verdict.observed(), number::kSamples),
      WantedHistory(spec, criterion, verdict.observed()), "samples");
}

// The comparison for a window that is not full yet, or has hardly a row.
v1::Comparison FillingOf(const DriftTrigger& spec, const Observed& observed) {
  if (observed.contains(number::kCurrentRows)) {
    const double before = ValueOf(observed, number::kReferenceRows);
    const double least_before = LeastRows(observed, Side::kReference);
    const bool of_reference = before < least_before;
    return Awaited("samples that could be looked at",
                   of_reference ? before : ValueOf(observed, number::kCurrentRows),
                   of_reference ? least_before : LeastRows(observed, Side::kCurrent), "samples");
  }
  if (spec.current.length) {
    return Awaited("length of the current window", ValueOf(observed, number::kSeconds),
                   Seconds(*spec.current.length), "seconds");
  }
  return Awaited("samples of the current window", ValueOf(observed, number::kSamples),
                 static_cast<double>(spec.current.Samples()), "samples");
}

// Why there is no score.
std::string ExplainNoScore(const DriftTrigger& spec, const Observed& seen) {
  if (seen.contains(number::kCurrentRows)) {
    return fmt::format(
        "the windows could not be compared: {} of the reference window could be looked at, and {} "
        "of the current window; at least {} and {} are needed{}",
        Counted(ValueOf(seen, number::kReferenceRows), "sample"),
        Figure(ValueOf(seen, number::kCurrentRows)), Figure(LeastRows(seen, Side::kReference)),
        Figure(LeastRows(seen, Side::kCurrent)), ExplainMissing(spec.columns, seen));
  }
  const v1::Comparison filling = FillingOf(spec, seen);
  if (spec.current.length) {
    return fmt::format("{} of the {} of the current window had passed", Span(filling.value()),
                       Span(filling.threshold()));
  }
  return fmt::format("{} of the {} of the current window had come", Figure(filling.value()),
                     Counted(filling.threshold(), "sample"));
}

std::string ExplainNoThreshold(const DriftTrigger& spec, const AutoCriterion& criterion,
                               const Observed& seen) {
  const double wanted = WantedHistory(spec, criterion, seen);
  if (HasHistoryNow(spec, criterion, seen)) {
    return fmt::format(
        "the samples before the last training were too few to find a threshold, and now the {} "
        "have come that {}",
        Counted(wanted, "sample"),
        wanted < static_cast<double>(criterion.history) ? "are twice both windows"
                                                        : "`history` asks for");
  }
  if (MayAlwaysFire(criterion, seen)) {
    return fmt::format(
        "no threshold is needed: there are {} a month and {} a month may be false, so each "
        "evaluation fires",
        Counted(ValueOf(seen, number::kEvaluationsPerMonth), "evaluation"),
        Counted(criterion.alarms_per_month, "alarm"));
  }
  if (ValueOf(seen, number::kHistoryRows) >=
      ValueOf(seen, number::kReferenceRows) + ValueOf(seen, number::kCurrentRows)) {
    return fmt::format(
        "there is no threshold: one alarm in {} is too rare to find one",
        Counted(ValueOf(seen, number::kEvaluationsPerMonth) / criterion.alarms_per_month,
                "evaluation"));
  }
  return fmt::format(
      "there is no threshold: {} before the last training were too few for both windows, of {} and "
      "{}",
      Counted(ValueOf(seen, number::kHistoryRows), "sample"),
      Figure(ValueOf(seen, number::kReferenceRows)),
      Counted(ValueOf(seen, number::kCurrentRows), "sample"));
}

std::string ExplainWindows(const DriftTrigger& spec, const Observed& seen) {
  std::string text = fmt::format(
      "{} of the {} of {} since the last training, against {} before it, was {}",
      ScoreKindOf(spec).name, NameOf(spec.of),
      Counted(ValueOf(seen, number::kCurrentRows), "sample"),
      Figure(ValueOf(seen, number::kReferenceRows)), Figure(ValueOf(seen, number::kScore)));
  const auto column = static_cast<size_t>(ValueOf(seen, number::kColumn));
  if (seen.contains(number::kColumn) && column < spec.columns.size()) {
    text += ExplainColumn(spec.columns[column], seen);
  }
  return text + ExplainMissing(spec.columns, seen);
}

// Whether there is a score, and its threshold.
bool CanBeJudged(const ThresholdCriterion&, const Observed&) { return true; }
bool CanBeJudged(const QuantileCriterion&, const Observed&) { return true; }
bool CanBeJudged(const RollingAverageCriterion&, const Observed&) { return true; }
bool CanBeJudged(const PValueCriterion&, const Observed& observed) {
  return observed.contains(number::kPValue);
}
bool CanBeJudged(const AutoCriterion&, const Observed& observed) {
  return observed.contains(number::kThreshold);
}

}  // namespace

ScoreKind ScoreKindOf(const DriftTrigger& spec) {
  return {.name =
              std::visit([](const auto& own) { return std::string(own.kType); }, spec.statistic)};
}

std::unique_ptr<TriggerPolicy> MakePolicy(const DriftTrigger& spec) {
  return std::make_unique<DriftPolicy>(spec);
}

Verdict Judge(const DriftTrigger& spec, const Observed& observed) {
  if (auto warm = JudgeWarmUp(spec.warm_up, DriftTrigger::kType, observed)) return *warm;
  Verdict verdict = NewVerdict(DriftTrigger::kType, observed);
  if (ValueOf(observed, number::kModel) == 0) {
    JudgeFirstTraining(spec.first, verdict);
    return verdict;
  }
  if (!observed.contains(number::kScore)) {
    *verdict.mutable_comparison() = FillingOf(spec, observed);
    return verdict;
  }
  std::visit(
      [&]<typename Criterion>(const Criterion& criterion) {
        if (CanBeJudged(criterion, observed))
          return JudgeScore(criterion, ScoreKindOf(spec), verdict);
        if constexpr (std::is_same_v<Criterion, AutoCriterion>) {
          JudgeWithoutThreshold(spec, criterion, verdict);
        }
      },
      spec.criterion);
  return verdict;
}

std::string Explain(const DriftTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  if (auto warm = ExplainWarmUp(spec.warm_up, verdict)) return *warm;
  if (ValueOf(seen, number::kModel) == 0) {
    return ExplainFirstTraining(spec.first, seen);
  }
  if (!seen.contains(number::kScore)) return ExplainNoScore(spec, seen);
  return std::visit(
      [&]<typename Criterion>(const Criterion& criterion) {
        if (CanBeJudged(criterion, seen)) {
          return ExplainWindows(spec, seen) + "; " + ExplainScore(criterion, verdict);
        }
        if constexpr (std::is_same_v<Criterion, AutoCriterion>) {
          return ExplainWindows(spec, seen) + "; " + ExplainNoThreshold(spec, criterion, seen);
        }
        return ExplainWindows(spec, seen) + ", without a p-value";
      },
      spec.criterion);
}

void SampleWindow::Check(config::Problems& problems) const {
  if (samples && length) {
    problems.Add("", "has both `samples` and `length`", "write samples: 1000 or length: 30d");
  }
}

void DriftTrigger::Check(config::Problems& problems) const {
  if ((of == DriftOf::kColumns) == columns.empty()) {
    problems.Add(columns.empty() ? "of" : "columns",
                 columns.empty() ? "needs the key columns" : "needs of: columns",
                 columns.empty() ? "add columns: [temperature]" : "write of: columns");
  }
  if (drifted_share) CheckShare(*this, problems);
  if (const auto* p_value = std::get_if<PValueCriterion>(&criterion)) {
    CheckLevel(statistic, *p_value, problems);
  }
  const auto* automatic = std::get_if<AutoCriterion>(&criterion);
  if (automatic == nullptr) return;
  const int64_t both = reference.Rows(rows) + current.Rows(rows);
  if (automatic->history < both) {
    problems.Add("criterion.history",
                 fmt::format("is too small for both windows, which have up to {} rows", both),
                 fmt::format("write {} or more, or make the windows smaller", both));
  }
}

TriggerNeeds NeedsOf(const DriftTrigger& spec) {
  return {.model_answers = spec.of == DriftOf::kEmbeddings || spec.of == DriftOf::kPredictions,
          .samples = true};
}

void TriggerOf<DriftTrigger>::CheckSamples(const transform::DescribedSamples& samples,
                                           config::Problems& problems) const {
  if (spec_.of == DriftOf::kLabels && samples.schema.label == transform::LabelKind::kNone) {
    problems.Add("of", fmt::format("'{}' has no labels", samples.dataset), "write of: embeddings");
  }
  for (size_t i = 0; i < spec_.columns.size(); ++i) {
    transform::CheckColumn(samples, fmt::format("columns[{}]", i), spec_.columns[i], problems);
  }
}

TIDEMILL_PART(Trigger, TriggerOf, DriftTrigger)

}  // namespace tidemill::supervisor

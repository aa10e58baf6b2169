#include "supervisor/triggers/errors/detector_trigger.h"

#include <numeric>
#include <utility>

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/label_check.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/plain/evaluation_points.h"
#include "supervisor/triggers/rule_trigger.h"

namespace tidemill::supervisor {
namespace {

using statistics::DetectorSignal;
using statistics::StreamDetector;

struct DetectorState {
  std::optional<Cut> from = std::nullopt;  // Up to here the detector has seen the samples.
  bool has_model = false;
  int64_t num_samples = 0;  // Since the last training.
  int64_t num_seen = 0;     // The number of these seen by the detector.

  void Fields(auto&& field) {
    field("from", from);
    field("has_model", has_model);
    field("num_samples", num_samples);
    field("num_seen", num_seen);
  }
};

class DetectorPolicy final : public TriggerPolicy {
 public:
  explicit DetectorPolicy(const DetectorTrigger& spec)
      : spec_(spec), points_(spec.evaluate, std::nullopt) {
    detector_ = spec.detector->Start();
  }

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
    for (const EvidenceTable& errors : evidence.tables) Show(errors, observed);
    state_.from = evidence.at;
    return Judge(spec_, observed);
  }
  void Fired(const Cut& at) override {
    points_.Fired(at);
    detector_ = spec_.detector->Start();
    state_ = {.from = at, .has_model = true};
  }
  void NoModel() override { state_.has_model = false; }
  std::string Standing() const override { return points_.Standing(); }
  nlohmann::json Seal() const override { return statistics::SealState(*this); }
  absl::Status Restore(const nlohmann::json& state) override {
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    field("points", points_);
    field("detector", detector_);
    field("state", state_);
  }

 private:
  void Show(const EvidenceTable& errors, Observed& observed) {
    int64_t drifts = 0, warnings = 0, first_drift = 0;
    for (const double error : errors.values) {
      ++state_.num_seen;
      const DetectorSignal signal = detector_->Update(error);
      if (signal == DetectorSignal::kWarning) ++warnings;
      if (signal == DetectorSignal::kDrift && ++drifts == 1) first_drift = state_.num_seen;
    }
    observed[number::kRows] = static_cast<double>(errors.num_rows);
    observed[number::kMissing] = static_cast<double>(errors.num_missing);
    observed[number::kErrors] = std::accumulate(errors.values.begin(), errors.values.end(), 0.0);
    observed[number::kWarnings] = static_cast<double>(warnings);
    observed[number::kDrifts] = static_cast<double>(drifts);
    if (drifts > 0) observed[number::kFirstDrift] = static_cast<double>(first_drift);
  }

  const DetectorTrigger spec_;
  EvaluationPoints points_;
  std::unique_ptr<StreamDetector> detector_;  // Started again after each training.
  DetectorState state_;
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const DetectorTrigger& spec) {
  return std::make_unique<DetectorPolicy>(spec);
}

Verdict Judge(const DetectorTrigger& spec, const Observed& observed) {
  Verdict verdict = NewVerdict(DetectorTrigger::kType, observed);
  if (ValueOf(observed, number::kModel) == 0) {
    JudgeFirstTraining(spec.first, verdict);
    return verdict;
  }
  const double drifts = ValueOf(observed, number::kDrifts);
  verdict.set_fired(drifts >= 1);
  *verdict.mutable_comparison() = Compared("signals of drift", drifts, 1, "signals");
  // Nothing less than other mistakes would have turned a yes.
  if (!verdict.fired()) *verdict.mutable_nearest() = ChangeOf("drifts", drifts, 1);
  return verdict;
}

std::string Explain(const DetectorTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  if (ValueOf(seen, number::kModel) == 0) {
    return ExplainFirstTraining(spec.first, seen);
  }
  const std::string_view name = spec.detector.type();
  const std::string shown = fmt::format("{} since the last evaluation, with a sum of errors of {}",
                                        Counted(ValueOf(seen, number::kRows), "sample"),
                                        Figure(ValueOf(seen, number::kErrors)));
  if (verdict.fired()) {
    return fmt::format("{} signalled drift at sample {} since the last training; it was shown {}",
                       name, Figure(ValueOf(seen, number::kFirstDrift)), shown);
  }
  const std::string warned =
      ValueOf(seen, number::kWarnings) > 0
          ? fmt::format("warned at {}", Counted(ValueOf(seen, number::kWarnings), "sample"))
          : "signalled nothing";
  return fmt::format("{} {}; it was shown {}", name, warned, shown);
}

TriggerNeeds NeedsOf(const DetectorTrigger&) { return {.model_answers = true, .samples = true}; }

void TriggerOf<DetectorTrigger>::CheckSamples(const transform::DescribedSamples& samples,
                                              config::Problems& problems) const {
  CheckMistakes(samples, "detector", spec_.detector->CountsMistakes(), problems);
}

std::vector<config::Remark> TriggerOf<DetectorTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks;
  const auto add = [&](std::vector<config::Remark> more) {
    remarks.insert(remarks.end(), more.begin(), more.end());
  };
  add(FindOutOfReach("first", spec_.first, stream));
  add(FindOutOfReach("evaluate.samples", spec_.evaluate.samples, stream));
  for (config::Remark remark : spec_.detector->FindSilence()) {
    remark.path = fmt::format("detector.{}", remark.path);
    remarks.push_back(std::move(remark));
  }
  for (const auto& [key, number] : spec_.detector->NumbersOfValues()) {
    add(FindOutOfReach(fmt::format("detector.{}", key), number, stream));
  }
  if (spec_.evaluate.samples) {
    AddTinyFirst(std::max(*spec_.evaluate.samples, spec_.first.value_or(0)), remarks);
  }
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, DetectorTrigger)

}  // namespace tidemill::supervisor

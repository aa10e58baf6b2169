#include "supervisor/triggers/plain/amount_trigger.h"

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/rule_trigger.h"

namespace tidemill::supervisor {
namespace {

// Decides right after every n-th sample since the last training, or since it last decided, and
// fires each time. The first training may come after another number.
class AmountPolicy final : public TriggerPolicy {
 public:
  explicit AmountPolicy(const AmountTrigger& spec)
      : spec_(spec), grid_(spec.samples), first_grid_(spec.first.value_or(spec.samples)) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp) const override {
    return Grid().NextPoint(ahead);
  }
  void Take(Samples samples) override { Grid().Take(samples); }
  absl::StatusOr<Verdict> Decide(const Evidence&) override {
    Observed observed = Seen();
    Grid().Restart();
    return Judge(spec_, observed);
  }
  void Fired(const Cut&) override {
    Grid().Restart();
    has_model_ = true;
  }
  void NoModel() override { has_model_ = false; }
  std::string Standing() const override { return Explain(spec_, Judge(spec_, Seen())); }
  nlohmann::json Seal() const override {
    return spec_.first ? statistics::SealState(*this) : statistics::SealState(grid_);
  }
  absl::Status Restore(const nlohmann::json& state) override {
    if (!spec_.first) return statistics::RestoreInto(state, grid_);
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    field("model", has_model_);
    field("grid", Grid());  // It depends on the model.
  }

 private:
  bool WaitsForFirst() const { return spec_.first && !has_model_; }
  const SampleGrid& Grid() const { return WaitsForFirst() ? first_grid_ : grid_; }
  SampleGrid& Grid() { return WaitsForFirst() ? first_grid_ : grid_; }
  Observed Seen() const {
    Observed observed = ObservedOf({{number::kSamples, static_cast<double>(Grid().seen())}});
    if (spec_.first) observed[number::kModel] = has_model_ ? 1 : 0;
    return observed;
  }

  const AmountTrigger spec_;
  SampleGrid grid_;
  SampleGrid first_grid_;
  bool has_model_ = false;
};

// Whether what was observed is judged as the first training.
bool IsFirst(const AmountTrigger& spec, const Observed& observed) {
  return spec.first && ValueOf(observed, number::kModel) == 0;
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const AmountTrigger& spec) {
  return std::make_unique<AmountPolicy>(spec);
}

Verdict Judge(const AmountTrigger& spec, const Observed& observed) {
  const double seen = ValueOf(observed, number::kSamples);
  const bool is_first = IsFirst(spec, observed);
  const auto asked = static_cast<double>(is_first ? *spec.first : spec.samples);
  Verdict verdict = NewVerdict(AmountTrigger::kType, observed);
  verdict.set_fired(seen >= asked);
  *verdict.mutable_comparison() = Compared("new samples", seen, asked, "samples");
  *verdict.mutable_nearest() = ChangeOf(is_first ? "first" : "samples", asked, seen);
  return verdict;
}

std::string Explain(const AmountTrigger& spec, const Verdict& verdict) {
  const bool is_first = IsFirst(spec, verdict.observed());
  const auto asked = static_cast<double>(is_first ? *spec.first : spec.samples);
  const char* key = is_first ? "first" : "samples";
  const std::string come = Counted(ValueOf(verdict.observed(), number::kSamples), "new sample");
  if (verdict.fired()) return fmt::format("{} had come, as many as `{}` asks for", come, key);
  return fmt::format("{} of the {} that `{}` asks for had come", come, Figure(asked), key);
}

TriggerNeeds NeedsOf(const AmountTrigger&) { return {}; }

std::vector<config::Remark> TriggerOf<AmountTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks = FindOutOfReach("first", spec_.first, stream);
  if (!spec_.first) remarks = FindOutOfReach("samples", spec_.samples, stream);
  AddTinyFirst(spec_.first.value_or(spec_.samples), remarks);
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, AmountTrigger)

}  // namespace tidemill::supervisor

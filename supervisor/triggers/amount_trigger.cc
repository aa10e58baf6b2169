#include "supervisor/triggers/amount_trigger.h"

#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/sealed_fields.h"

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
  Verdict Decide(const Evidence&) override {
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
    if (!spec_.first) return grid_.Seal();
    return {{"grid", Grid().Seal()}, {"model", has_model_}};
  }
  absl::Status Restore(const nlohmann::json& state) override {
    if (!spec_.first) return grid_.Restore(state);
    RETURN_IF_ERROR(ReadSealed(state, "model", has_model_));
    ASSIGN_OR_RETURN(const nlohmann::json* grid, SealedField(state, "grid"));
    return Grid().Restore(*grid);
  }

 private:
  bool WaitsForFirst() const { return spec_.first && !has_model_; }
  const SampleGrid& Grid() const { return WaitsForFirst() ? first_grid_ : grid_; }
  SampleGrid& Grid() { return WaitsForFirst() ? first_grid_ : grid_; }
  Observed Seen() const {
    Observed observed = {{"samples", static_cast<double>(Grid().seen())}};
    if (spec_.first) observed["model"] = has_model_ ? 1 : 0;
    return observed;
  }

  const AmountTrigger spec_;
  SampleGrid grid_;
  SampleGrid first_grid_;
  bool has_model_ = false;
};

// Whether what was observed is judged as the first training.
bool IsFirst(const AmountTrigger& spec, const Observed& observed) {
  return spec.first && ValueOf(observed, "model") == 0;
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const AmountTrigger& spec) {
  return std::make_unique<AmountPolicy>(spec);
}

Verdict Judge(const AmountTrigger& spec, const Observed& observed) {
  const double seen = ValueOf(observed, "samples");
  const bool is_first = IsFirst(spec, observed);
  const auto asked = static_cast<double>(is_first ? *spec.first : spec.samples);
  return {.policy = std::string(AmountTrigger::kType),
          .fired = seen >= asked,
          .observed = observed,
          .comparison = Comparison{"new samples", seen, asked, "samples"},
          .nearest = Change{is_first ? "first" : "samples", asked, seen}};
}

std::string Explain(const AmountTrigger& spec, const Verdict& verdict) {
  const bool is_first = IsFirst(spec, verdict.observed);
  const auto asked = static_cast<double>(is_first ? *spec.first : spec.samples);
  const char* key = is_first ? "first" : "samples";
  const std::string come = Counted(ValueOf(verdict.observed, "samples"), "new sample");
  if (verdict.fired) return fmt::format("{} had come, as many as `{}` asks for", come, key);
  return fmt::format("{} had come of the {} that `{}` asks for", come, Figure(asked), key);
}

TriggerNeeds NeedsOf(const AmountTrigger&) { return {}; }

std::vector<config::Remark> Advise(const AmountTrigger& spec, const StreamFacts& stream) {
  std::vector<config::Remark> remarks = FindOutOfReach("first", spec.first, stream);
  if (!spec.first) remarks = FindOutOfReach("samples", spec.samples, stream);
  AddTinyFirst(spec.first.value_or(spec.samples), remarks);
  return remarks;
}

}  // namespace tidemill::supervisor

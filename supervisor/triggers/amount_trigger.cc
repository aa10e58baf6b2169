#include "supervisor/triggers/amount_trigger.h"

#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {
namespace {

// Decides right after every n-th sample since the last training, or since it last decided, and
// fires each time.
class AmountPolicy final : public TriggerPolicy {
 public:
  explicit AmountPolicy(const AmountTrigger& spec) : spec_(spec), grid_(spec.samples) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp) const override {
    return grid_.NextPoint(ahead);
  }
  void Take(Samples samples) override { grid_.Take(samples); }
  Verdict Decide(const Evidence&) override {
    const auto seen = static_cast<double>(grid_.seen());
    grid_.Restart();
    return Judge(spec_, {{"samples", seen}});
  }
  void Fired(const Cut&) override { grid_.Restart(); }
  std::string Standing() const override {
    return Explain(spec_, Judge(spec_, {{"samples", static_cast<double>(grid_.seen())}}));
  }
  nlohmann::json Seal() const override { return grid_.Seal(); }
  absl::Status Restore(const nlohmann::json& state) override { return grid_.Restore(state); }

 private:
  const AmountTrigger spec_;
  SampleGrid grid_;
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const AmountTrigger& spec) {
  return std::make_unique<AmountPolicy>(spec);
}

Verdict Judge(const AmountTrigger& spec, const Observed& observed) {
  const double seen = ValueOf(observed, "samples");
  const auto asked = static_cast<double>(spec.samples);
  return {.policy = std::string(AmountTrigger::kType),
          .fired = seen >= asked,
          .observed = observed,
          .comparison = Comparison{"new samples", seen, asked, "samples"},
          .nearest = Change{"samples", asked, seen}};
}

std::string Explain(const AmountTrigger& spec, const Verdict& verdict) {
  const auto asked = static_cast<double>(spec.samples);
  const std::string come = Counted(ValueOf(verdict.observed, "samples"), "new sample");
  if (verdict.fired) return fmt::format("{} had come, as many as `samples` asks for", come);
  return fmt::format("{} had come of the {} that `samples` asks for", come, Figure(asked));
}

TriggerNeeds NeedsOf(const AmountTrigger&) { return {}; }

}  // namespace tidemill::supervisor

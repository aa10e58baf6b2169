#include "supervisor/triggers/plain/never_trigger.h"

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {
namespace {

// Decides once, after the first samples, or nowhere.
class NeverPolicy final : public TriggerPolicy {
 public:
  explicit NeverPolicy(const NeverTrigger& spec)
      : spec_(spec), grid_(spec.first.value_or(1)), done_(!spec.first) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp) const override {
    return done_ ? std::nullopt : grid_.NextPoint(ahead);
  }
  void Take(Samples samples) override {
    if (!done_) grid_.Take(samples);
  }
  absl::StatusOr<Verdict> Decide(const Evidence&) override {
    done_ = true;
    return Judge(spec_, ObservedOf({{number::kSamples, static_cast<double>(grid_.seen())}}));
  }
  // The one model must be trained again.
  void NoModel() override {
    if (!done_ || !spec_.first) return;
    done_ = false;
    grid_.Restart();
  }
  std::string Standing() const override {
    if (!spec_.first) return "it never fires because it has no `first`";
    if (done_) return "its only model had been trained";
    return fmt::format("{} of the {} that `first` asks for had come",
                       Counted(static_cast<double>(grid_.seen()), "sample"),
                       Figure(static_cast<double>(*spec_.first)));
  }
  nlohmann::json Seal() const override { return statistics::SealState(*this); }
  absl::Status Restore(const nlohmann::json& state) override {
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    field("done", done_);
    field("grid", grid_);
  }

 private:
  const NeverTrigger spec_;
  SampleGrid grid_;
  bool done_;
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const NeverTrigger& spec) {
  return std::make_unique<NeverPolicy>(spec);
}

Verdict Judge(const NeverTrigger& spec, const Observed& observed) {
  const double seen = ValueOf(observed, number::kSamples);
  const auto asked = static_cast<double>(spec.first.value_or(0));
  Verdict verdict = NewVerdict(NeverTrigger::kType, observed);
  verdict.set_fired(spec.first && seen >= asked);
  *verdict.mutable_comparison() = Compared("samples", seen, asked, "samples");
  *verdict.mutable_nearest() = ChangeOf("first", asked, seen);
  return verdict;
}

std::string Explain(const NeverTrigger&, const Verdict& verdict) {
  return fmt::format("{} had come, and the only model of this policy is trained on them",
                     Counted(ValueOf(verdict.observed(), number::kSamples), "sample"));
}

TriggerNeeds NeedsOf(const NeverTrigger&) { return {}; }

TIDEMILL_PART(Trigger, TriggerOf, NeverTrigger)

}  // namespace tidemill::supervisor

#include "supervisor/triggers/plain/pause_trigger.h"

#include <limits>

#include "fmt/format.h"

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/rule_trigger.h"

namespace tidemill::supervisor {
namespace {

class PausePolicy final : public TriggerPolicy {
 public:
  explicit PausePolicy(const PauseTrigger& spec) : spec_(spec) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override {
    int64_t last = last_;
    bool waits = waits_;
    for (size_t i = 0; i < ahead.size(); ++i) {
      if (waits && ahead.event_times[i] >= EndOfPause(last)) return PointAfter(last, i);
      last = ahead.event_times[i];
      waits = true;
    }
    if (waits && clock.micros >= EndOfPause(last)) return PointAfter(last, ahead.size());
    return std::nullopt;
  }
  void Take(Samples samples) override {
    if (samples.empty()) return;
    last_ = samples.event_times.back();
    waits_ = true;
    seen_ += static_cast<int64_t>(samples.size());
  }
  absl::StatusOr<Verdict> Decide(const Evidence&) override {
    waits_ = false;
    return Judge(spec_, ObservedOf({{number::kSamples, static_cast<double>(seen_)}}));
  }
  void Fired(const Cut&) override { seen_ = 0; }
  std::string Standing() const override {
    return fmt::format("{} had come since the last training; the policy waits for {} without one",
                       Counted(static_cast<double>(seen_), "sample"),
                       Span(static_cast<double>(spec_.length.micros) / 1e6));
  }
  nlohmann::json Seal() const override { return statistics::SealState(*this); }
  absl::Status Restore(const nlohmann::json& state) override {
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    field("last", last_);
    field("waits", waits_);
    field("seen", seen_);
  }

 private:
  int64_t EndOfPause(int64_t last) const {
    constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();
    return last > kGreatest - spec_.length.micros ? kGreatest : last + spec_.length.micros;
  }
  DecisionPoint PointAfter(int64_t last, size_t num_before) const {
    return {.at = {{EndOfPause(last)}, {0}}, .num_before = num_before};
  }

  const PauseTrigger spec_;
  int64_t last_ = 0;    // The event time of the last sample.
  bool waits_ = false;  // Whether a sample has come since the last pause.
  int64_t seen_ = 0;    // Samples since the last training.
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const PauseTrigger& spec) {
  return std::make_unique<PausePolicy>(spec);
}

Verdict Judge(const PauseTrigger& spec, const Observed& observed) {
  const double seen = ValueOf(observed, number::kSamples);
  const auto asked = static_cast<double>(spec.samples);
  Verdict verdict = NewVerdict(PauseTrigger::kType, observed);
  verdict.set_fired(seen >= asked);
  *verdict.mutable_comparison() = Compared("new samples", seen, asked, "samples");
  *verdict.mutable_nearest() = ChangeOf("samples", asked, seen);
  return verdict;
}

std::string Explain(const PauseTrigger& spec, const Verdict& verdict) {
  return fmt::format(
      "no sample had come for {}; {} had come since the last training, and "
      "`samples` asks for {}",
      Span(static_cast<double>(spec.length.micros) / 1e6),
      Counted(ValueOf(verdict.observed(), number::kSamples), "sample"),
      Figure(static_cast<double>(spec.samples)));
}

TriggerNeeds NeedsOf(const PauseTrigger&) { return {}; }

std::vector<config::Remark> TriggerOf<PauseTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks = FindOutOfReach("samples", spec_.samples, stream);
  if (stream.step && spec_.length <= *stream.step) {
    remarks.push_back(
        {.path = "length",
         .message = fmt::format("a pause of {} is not longer than the {} from one sample to the "
                                "next, so each sample ends one",
                                FormatDuration(spec_.length), FormatDuration(*stream.step)),
         .hint = fmt::format("write a longer one, such as {}",
                             FormatDuration({stream.step->micros * 10})),
         .is_error = false});
  }
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, PauseTrigger)

}  // namespace tidemill::supervisor

#include "supervisor/triggers/plain/manual_trigger.h"

#include <algorithm>
#include <functional>

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {
namespace {

// Decides at the listed times that have a sample between them and the last training, or the time
// listed before.
class ManualPolicy final : public TriggerPolicy {
 public:
  explicit ManualPolicy(const ManualTrigger& spec) : spec_(spec) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override {
    const size_t next = ahead.empty() ? NextWithin(clock) : NextFor(ahead.event_times.front());
    if (next == spec_.at.size()) return std::nullopt;
    const Timestamp time = spec_.at[next];
    const auto end =
        std::lower_bound(ahead.event_times.begin(), ahead.event_times.end(), time.micros);
    if (end == ahead.event_times.end() && clock < time) return std::nullopt;
    return DecisionPoint{.at = {time, {0}},
                         .num_before = static_cast<size_t>(end - ahead.event_times.begin())};
  }
  void Take(Samples samples) override {
    if (samples.empty()) return;
    next_ = static_cast<int64_t>(NextFor(samples.event_times.front()));
    seen_ += static_cast<int64_t>(samples.size());
  }
  absl::StatusOr<Verdict> Decide(const Evidence&) override {
    const auto seen = static_cast<double>(seen_);
    seen_ = 0;
    ++next_;
    return Judge(spec_, ObservedOf({{number::kSamples, seen}}));
  }
  void Fired(const Cut&) override { seen_ = 0; }
  std::string Standing() const override {
    const std::string come = Counted(static_cast<double>(seen_), "sample") + " had come";
    const auto next = static_cast<size_t>(next_);
    if (next == spec_.at.size()) return come + "; `at` lists no later time";
    return fmt::format("{}; the next time in `at` is {}", come,
                       FormatTimestampShort(spec_.at[next]));
  }
  nlohmann::json Seal() const override { return statistics::SealState(*this); }
  absl::Status Restore(const nlohmann::json& state) override {
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    field("next", next_);
    field("seen", seen_);
  }
  absl::Status Check() const {
    if (next_ < 0 || next_ > static_cast<int64_t>(spec_.at.size())) {
      return DataLoss("a sealed manual trigger is at time {} of {}", next_, spec_.at.size());
    }
    return absl::OkStatus();
  }

 private:
  // The listed time that is next once a sample at `time` is: those with nothing before them are
  // passed over.
  size_t NextFor(int64_t time) const {
    auto next = static_cast<size_t>(next_);
    while (seen_ == 0 && next < spec_.at.size() && spec_.at[next].micros <= time) ++next;
    return next;
  }
  // The same when nothing is known but the clock.
  size_t NextWithin(Timestamp clock) const {
    const auto next = static_cast<size_t>(next_);
    const bool due = seen_ > 0 && next < spec_.at.size() && spec_.at[next] <= clock;
    return due ? next : spec_.at.size();
  }

  const ManualTrigger spec_;
  int64_t next_ = 0;  // Index of the next listed time.
  int64_t seen_ = 0;  // Samples since the last training or listed time.
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const ManualTrigger& spec) {
  return std::make_unique<ManualPolicy>(spec);
}

Verdict Judge(const ManualTrigger&, const Observed& observed) {
  Verdict verdict = NewVerdict(ManualTrigger::kType, observed);
  verdict.set_fired(true);
  return verdict;
}

std::string Explain(const ManualTrigger&, const Verdict& verdict) {
  return fmt::format("this time is listed in `at`; {} had come since the previous time",
                     Counted(ValueOf(verdict.observed(), number::kSamples), "sample"));
}

void ManualTrigger::Check(config::Problems& problems) const {
  if (std::adjacent_find(at.begin(), at.end(), std::greater_equal<>()) != at.end()) {
    problems.Add("at", "is not in ascending order", "put the times in order, each once");
  }
}

TriggerNeeds NeedsOf(const ManualTrigger&) { return {}; }

TIDEMILL_PART(Trigger, TriggerOf, ManualTrigger)

}  // namespace tidemill::supervisor

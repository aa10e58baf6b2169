#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {
namespace {

// Decides at the end of each period that holds samples, once a sample of a later period shows that
// the period is over. Periods are counted from the first sample of the stream.
class TimePolicy final : public TriggerPolicy {
 public:
  TimePolicy(Duration every, std::optional<Timestamp> start)
      : every_(every.micros), period_start_(start) {}

  std::vector<Decision> Inform(std::span<const int64_t> event_times,
                               std::span<const int64_t>) override {
    std::vector<Decision> decisions;
    for (const int64_t time : event_times) {
      if (!period_start_) period_start_ = Timestamp{time};
      const int64_t periods = (time - period_start_->micros) / every_;
      if (periods > 0) {
        if (seen_ > 0) decisions.push_back(Close());
        period_start_ = Timestamp{period_start_->micros + periods * every_};
      }
      ++seen_;
    }
    return decisions;
  }

 private:
  Decision Close() {
    const Decision decision{.at = {{period_start_->micros + every_}, {0}},
                            .fired = true,
                            .num_samples = seen_,
                            .observed = {{"samples", static_cast<double>(seen_)},
                                         {"period_seconds", static_cast<double>(every_) / 1e6}}};
    seen_ = 0;
    return decision;
  }

  const int64_t every_;
  std::optional<Timestamp> period_start_;
  int64_t seen_ = 0;  // Samples of the period.
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const TimeTrigger& spec,
                                          const std::optional<Decision>& last) {
  return std::make_unique<TimePolicy>(
      spec.every, last ? std::optional<Timestamp>(last->at.event_time) : std::nullopt);
}

}  // namespace tidemill::supervisor

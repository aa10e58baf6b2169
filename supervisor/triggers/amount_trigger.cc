#include <algorithm>

#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {
namespace {

// Decides right after every n-th sample and fires each time.
class AmountPolicy final : public TriggerPolicy {
 public:
  explicit AmountPolicy(int64_t samples) : samples_(samples) {}

  std::vector<Decision> Inform(std::span<const int64_t> event_times,
                               std::span<const int64_t> keys) override {
    std::vector<Decision> decisions;
    const auto size = static_cast<int64_t>(keys.size());
    int64_t taken = 0;
    while (size - taken >= samples_ - seen_) {
      taken += samples_ - seen_;
      seen_ = 0;
      const auto last = static_cast<size_t>(taken - 1);
      decisions.push_back({.at = {{event_times[last]}, {keys[last] + 1}},
                           .fired = true,
                           .num_samples = samples_,
                           .observed = {{"samples", static_cast<double>(samples_)}}});
    }
    seen_ += size - taken;
    return decisions;
  }

 private:
  const int64_t samples_;
  int64_t seen_ = 0;
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const AmountTrigger& spec,
                                          const std::optional<Decision>&) {
  return std::make_unique<AmountPolicy>(spec.samples);
}

}  // namespace tidemill::supervisor

#include "selector/policies/freshness.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "selector/choosing/chooser.h"
#include "selector/choosing/grouped_draw.h"

namespace tidemill::selector {
namespace {

// The error of a whole number divided by a share that is a little off, such as 300 / 0.3.
constexpr double kRounding = 1e-9;

// The greatest total of which `share` is at most `count`.
int64_t MostOf(int64_t count, double share) {
  return static_cast<int64_t>(std::floor(static_cast<double>(count) / share * (1 + kRounding)));
}

class FreshnessChooser final : public Chooser {
 public:
  FreshnessChooser(const Freshness& spec, const RandomKey& random, const Workplace& workplace,
                   TrainingSetWriter& into)
      : spec_(spec),
        chosen_before_(workplace.chosen_before),
        draw_(random, workplace, spec.samples),
        into_(into) {}

  absl::Status Add(const Candidates& candidates) override {
    used_.assign(candidates.keys.size(), 0);
    if (chosen_before_ != nullptr) chosen_before_->Contains(candidates.keys, used_.data());
    const std::vector<int64_t> groups(used_.begin(), used_.end());
    return draw_.Add(candidates.keys, groups);
  }

  absl::Status Finish() override {
    std::vector<int64_t> counts(draw_.counts().begin(), draw_.counts().end());
    counts.resize(2);
    const Mix mix = MixOf(counts[0], counts[1], spec_.fresh, spec_.samples);
    GroupQuotas quotas{.quotas = {mix.num_fresh, mix.num_used}};
    quotas.quotas.resize(draw_.counts().size());
    return draw_.Draw(quotas, into_);
  }

 private:
  const Freshness spec_;
  const ChosenKeys* const chosen_before_;
  GroupedDraw draw_;
  TrainingSetWriter& into_;
  std::vector<uint8_t> used_;
};

}  // namespace

Mix MixOf(int64_t num_fresh, int64_t num_used, double fresh, std::optional<int64_t> limit) {
  if (num_fresh == 0 || num_used == 0) {
    const int64_t most = limit.value_or(num_fresh + num_used);
    return {std::min(num_fresh, most), std::min(num_used, most)};
  }
  const int64_t most = std::min(MostOf(num_fresh, fresh), MostOf(num_used, 1 - fresh));
  const int64_t total = std::min(most, limit.value_or(most));
  const int64_t of_fresh = std::llround(fresh * static_cast<double>(total));
  const int64_t taken = std::min(of_fresh, num_fresh);
  return {taken, std::min(total - taken, num_used)};
}

std::unique_ptr<Chooser> MakeChooser(const Freshness& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  return std::make_unique<FreshnessChooser>(spec, random, workplace, into);
}

}  // namespace tidemill::selector

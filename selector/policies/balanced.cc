#include "selector/policies/balanced.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "selector/choosing/chooser.h"
#include "selector/choosing/grouped_draw.h"
#include "subsets/draws/quotas.h"

namespace tidemill::selector {
namespace {

subsets::QuotaRule RuleOf(BalanceForce force) {
  switch (force) {
    case BalanceForce::kSize:
      return subsets::QuotaRule::kExact;
    case BalanceForce::kBalance:
      return subsets::QuotaRule::kEqual;
    default:
      return subsets::QuotaRule::kFair;
  }
}

class BalancedChooser final : public Chooser {
 public:
  BalancedChooser(const Balanced& spec, const RandomKey& random, const Workplace& workplace,
                  TrainingSetWriter& into)
      : spec_(spec),
        random_(random),
        ends_(workplace.ends.begin(), workplace.ends.end()),
        draw_(random, workplace, spec.samples),
        into_(into) {}

  absl::Status Add(const Candidates& candidates) override {
    groups_.resize(candidates.keys.size());
    for (size_t i = 0; i < candidates.keys.size(); ++i) {
      const int64_t id = spec_.by == BalanceBy::kLabel
                             ? (candidates.labels.empty() ? kNoClass : candidates.labels[i])
                             : TriggerOf(candidates.event_times[i], candidates.keys[i]);
      groups_[i] = GroupOf(id);
    }
    return draw_.Add(candidates.keys, groups_);
  }

  absl::Status Finish() override {
    const auto counts = draw_.counts();
    const int64_t target = spec_.Target(draw_.num_candidates());
    auto rule = RuleOf(spec_.force);
    if (subsets::FairShare(counts, target) == 0 && target > 0) {
      rule = subsets::QuotaRule::kExact;
      notes_.remarks.push_back(fmt::format(
          "there are {} groups, more than samples to choose; {} of them give one sample each",
          counts.size(), target));
    }
    const RandomKey of_groups{
        .seed = random_.seed, .purpose = "groups", .trigger = random_.trigger};
    GroupQuotas quotas{.quotas = subsets::Quotas(rule, counts, target, of_groups, ids_)};
    if (spec_.weights == Weighting::kInverseProbability) AddWeights(quotas);
    return draw_.Draw(quotas, into_);
  }

  ChoiceNotes notes() const override { return notes_; }

 private:
  // The trigger whose new data contains the sample, from 0; candidates come in the order of the
  // stream.
  int64_t TriggerOf(int64_t event_time, int64_t key) {
    while (num_ended_ < ends_.size() && ends_[num_ended_] <= std::pair(event_time, key)) {
      ++num_ended_;
    }
    return static_cast<int64_t>(num_ended_);
  }

  int64_t GroupOf(int64_t id) {
    const auto [found, is_new] = group_of_.try_emplace(id, std::ssize(ids_));
    if (is_new) ids_.push_back(id);
    return found->second;
  }

  // size / drawn of each group, scaled to a mean of 1; none where everything is drawn.
  void AddWeights(GroupQuotas& quotas) const {
    const auto counts = draw_.counts();
    double num_drawn = 0;
    double num_standing_for = 0;
    for (size_t group = 0; group < counts.size(); ++group) {
      num_drawn += static_cast<double>(quotas.quotas[group]);
      if (quotas.quotas[group] > 0) num_standing_for += static_cast<double>(counts[group]);
    }
    if (num_drawn == static_cast<double>(draw_.num_candidates())) return;
    for (size_t group = 0; group < counts.size(); ++group) {
      const auto drawn = static_cast<double>(quotas.quotas[group]);
      const double share = drawn == 0 ? 0 : static_cast<double>(counts[group]) / drawn;
      quotas.weights.push_back(share * num_drawn / num_standing_for);
    }
  }

  const Balanced spec_;
  const RandomKey random_;
  const std::vector<std::pair<int64_t, int64_t>> ends_;
  size_t num_ended_ = 0;
  absl::flat_hash_map<int64_t, int64_t> group_of_;
  // The class or the trigger of each group.
  std::vector<int64_t> ids_;
  std::vector<int64_t> groups_;
  GroupedDraw draw_;
  TrainingSetWriter& into_;
  ChoiceNotes notes_;
};

}  // namespace

std::unique_ptr<Chooser> MakeChooser(const Balanced& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  return std::make_unique<BalancedChooser>(spec, random, workplace, into);
}

}  // namespace tidemill::selector

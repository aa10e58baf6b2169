// Retrains when enough of several policies vote for it.
//   policy a   .  .  V  .  .  .         V: a vote, which counts until the next training
//   policy b   .     .     V  .
//   policy c      .     .     .
//   ensemble   .  .  .  .  2! .         it decides wherever a policy does; here two votes fire
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {

enum class VoteRule { kMajority, kAtLeast, kAll, kAny };

struct EnsembleTrigger {
  static constexpr std::string_view kType = "ensemble";
  static constexpr std::string_view kDoc =
      "Asks several policies and counts their votes. Each policy decides at its own points. A vote "
      "counts until the next training, and the ensemble decides wherever one of its policies does.";
  static constexpr std::string_view kRule =
      "votes since the last training >= the number that `vote` needs: floor(n / 2) + 1, all n, 1, "
      "or `at_least`. With `first`, the rule for the first training is: samples >= `first`, "
      "whatever the votes";
  static constexpr std::string_view kPoints =
      "wherever one of the policies decides, and right after the `first` sample";
  static constexpr std::string_view kCost = "that of its policies";
  static constexpr std::string_view kSource = "";
  std::vector<TriggerSpec> of;
  VoteRule vote = VoteRule::kMajority;
  std::optional<int64_t> at_least = std::nullopt;
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field("of", of, "The policies. They may be ensembles, too.",
          {.required = true, .min_items = 1, .max_items = 32});
    field("vote", vote,
          "How many votes fire. majority: more than half. all: all votes. any: one vote. at_least: "
          "the number in that key.");
    field("at_least", at_least, "With `vote: at_least`: the number of votes that fire.",
          {.min = 1, .example = "2"});
    field("first", first,
          "The first training comes after this many samples, and votes count only from then on. "
          "Policies that are compared then start from the same model.",
          {.min = 1, .example = "2000"});
  }
  void Check(config::Problems& problems) const;

  // The number of votes that are needed to fire.
  int64_t Needed() const;
};

std::unique_ptr<TriggerPolicy> MakePolicy(const EnsembleTrigger& spec);
// Judges the verdicts of the members and stores them in its own. `observed` has "samples", the
// number that have come, while the first training has not happened yet.
Verdict Judge(const EnsembleTrigger& spec, const Observed& observed, std::vector<Verdict> members);
std::string Explain(const EnsembleTrigger& spec, const Verdict& verdict);
// The needs of its members are not included.
TriggerNeeds NeedsOf(const EnsembleTrigger& spec);

template <>
class TriggerOf<EnsembleTrigger> final : public TriggerBase<EnsembleTrigger> {
 public:
  Verdict Replay(const Verdict& recorded) const override;
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
  std::span<const TriggerSpec> members() const override { return spec_.of; }
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override;
};

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::VoteRule> {
  static constexpr std::pair<tidemill::supervisor::VoteRule, std::string_view> kNames[] = {
      {tidemill::supervisor::VoteRule::kMajority, "majority"},
      {tidemill::supervisor::VoteRule::kAtLeast, "at_least"},
      {tidemill::supervisor::VoteRule::kAll, "all"},
      {tidemill::supervisor::VoteRule::kAny, "any"}};
};

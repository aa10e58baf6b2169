#include "supervisor/triggers/plain/ensemble_trigger.h"

#include <algorithm>
#include <utility>

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/plain/never_trigger.h"

namespace tidemill::supervisor {
namespace {

// Decides wherever a member does. A member's vote counts from there to the next training. Until the
// first one members are asked, too, for what they learn by it.
class EnsemblePolicy final : public TriggerPolicy {
 public:
  explicit EnsemblePolicy(const EnsembleTrigger& spec) : spec_(spec) {
    if (spec.first) until_first_.emplace(*spec.first);
    for (const TriggerSpec& member : spec.of) {
      members_.push_back({.policy = member->MakePolicy(), .voted_at = std::nullopt});
    }
  }

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override {
    std::optional<DecisionPoint> next;
    if (until_first_) next = until_first_->NextPoint(ahead);
    for (const Member& member : members_) {
      const auto point = member.policy->NextPoint(ahead, clock);
      if (point && (!next || point->at < next->at)) next = point;
    }
    return next;
  }
  void Take(Samples samples) override {
    if (until_first_) until_first_->Take(samples);
    for (const Member& member : members_) member.policy->Take(samples);
  }
  void BelongTo(const std::shared_ptr<plugin::RunHosts>& run) override {
    for (const Member& member : members_) member.policy->BelongTo(run);
  }
  std::vector<EvidenceRequest> Needs(const Cut& at) const override {
    std::vector<EvidenceRequest> needs;
    for (const Member& member : members_) {
      if (!IsDue(member, at)) continue;
      const std::vector<EvidenceRequest> own = member.policy->Needs(at);
      needs.insert(needs.end(), own.begin(), own.end());
    }
    return needs;
  }
  absl::StatusOr<Verdict> Decide(const Evidence& evidence) override {
    std::vector<Verdict> verdicts;
    auto table = evidence.tables.begin();
    for (size_t i = 0; i < members_.size(); ++i) {
      Evidence own{.at = evidence.at, .num_new = evidence.num_new, .stop = evidence.stop};
      const bool due = IsDue(members_[i], evidence.at);
      if (due) {
        const auto end = table + static_cast<ptrdiff_t>(members_[i].policy->Needs(own.at).size());
        own.tables.assign(table, end);
        table = end;
      }
      ASSIGN_OR_RETURN(verdicts.emplace_back(), Ask(members_[i], spec_.of[i], own, due));
    }
    Observed observed;
    if (until_first_) observed[number::kSamples] = static_cast<double>(until_first_->seen());
    return Judge(spec_, observed, std::move(verdicts));
  }
  void Fired(const Cut& at) override {
    until_first_.reset();
    for (Member& member : members_) {
      member.voted_at.reset();
      member.policy->Fired(at);
    }
  }
  void Learn(const TrainingCost& cost) override {
    for (const Member& member : members_) member.policy->Learn(cost);
  }
  void NoModel() override {
    if (spec_.first && !until_first_) until_first_.emplace(*spec_.first);
    for (const Member& member : members_) member.policy->NoModel();
  }
  std::string Standing() const override {
    if (until_first_) {
      return fmt::format("{} had come of the {} that the first training waits for",
                         Counted(static_cast<double>(until_first_->seen()), "sample"),
                         Figure(static_cast<double>(*spec_.first)));
    }
    std::string text;
    for (size_t i = 0; i < members_.size(); ++i) {
      const auto type = std::string(spec_.of[i].type());
      text +=
          fmt::format("{}{}: {}", text.empty() ? "" : "; ", type, members_[i].policy->Standing());
    }
    return text;
  }
  nlohmann::json Seal() const override { return statistics::SealState(*this); }
  absl::Status Restore(const nlohmann::json& state) override {
    until_first_.reset();
    if (spec_.first && state.is_object() && !state.value("until_first", nlohmann::json()).is_null())
      until_first_.emplace(*spec_.first);
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    field("members", members_);
    if (spec_.first) field("until_first", until_first_);
  }

 private:
  struct Member {
    std::unique_ptr<TriggerPolicy> policy;
    std::optional<Cut> voted_at;

    void Fields(auto&& field) {
      field("voted_at", voted_at);
      field("state", policy);
    }
  };

  // Whether a point that all members have reached is one of this member's points.
  static bool IsDue(const Member& member, const Cut& at) {
    const auto point = member.policy->NextPoint({}, at.event_time);
    return point && point->at == at;
  }

  // The member's verdict, if it is due, and its vote.
  static absl::StatusOr<Verdict> Ask(Member& member, const TriggerSpec& spec,
                                     const Evidence& evidence, bool due) {
    Verdict verdict = NewVerdict(spec.type(), {});
    if (due) {
      ASSIGN_OR_RETURN(verdict, member.policy->Decide(evidence));
    } else {
      verdict.set_passed_over(true);
    }
    if (verdict.fired() && !member.voted_at) member.voted_at = evidence.at;
    if (member.voted_at) {
      verdict.mutable_voted_at()->set_event_time(member.voted_at->event_time.micros);
      verdict.mutable_voted_at()->set_sample_key(member.voted_at->sample_key.value);
    }
    return verdict;
  }

  const EnsembleTrigger spec_;
  std::vector<Member> members_;
  // Counts up to the first training. Absent once there is a model, and if `first` is not set.
  std::optional<SampleGrid> until_first_;
};

// How far a verdict is from its threshold, as a share of it: the least is the closest to a change.
double Distance(const Verdict& verdict) {
  const v1::Comparison& compared = verdict.comparison();
  return std::abs(MarginOf(compared)) / std::max(std::abs(compared.threshold()), 1e-300);
}

// A vote that was missing, or one too many, where one vote turns the answer: the change of the
// member that was nearest to the other answer.
std::optional<v1::Change> NearestOf(const std::vector<Verdict>& members, bool fired) {
  std::optional<size_t> nearest;
  for (size_t i = 0; i < members.size(); ++i) {
    const Verdict& member = members[i];
    const bool turns = !member.passed_over() && member.fired() == fired && member.has_nearest() &&
                       member.has_comparison() && (fired || !member.has_voted_at());
    if (turns && (!nearest || Distance(member) < Distance(members[*nearest]))) nearest = i;
  }
  if (!nearest) return std::nullopt;
  v1::Change change = members[*nearest].nearest();
  change.set_key(fmt::format("of[{}].{}", *nearest, change.key()));
  return change;
}

void AddMembers(std::vector<Verdict> members, Verdict& verdict) {
  for (Verdict& member : members) *verdict.add_members() = std::move(member);
}

Verdict JudgeFirst(const EnsembleTrigger& spec, const Observed& observed,
                   std::vector<Verdict> members) {
  const double samples = ValueOf(observed, number::kSamples);
  const auto first = static_cast<double>(spec.first.value_or(1));
  Verdict verdict = NewVerdict(EnsembleTrigger::kType, observed);
  verdict.set_fired(samples >= first);
  *verdict.mutable_comparison() = Compared("samples without a model", samples, first, "samples");
  *verdict.mutable_nearest() = ChangeOf("first", first, samples);
  AddMembers(std::move(members), verdict);
  return verdict;
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const EnsembleTrigger& spec) {
  return std::make_unique<EnsemblePolicy>(spec);
}

Verdict Judge(const EnsembleTrigger& spec, const Observed& observed, std::vector<Verdict> members) {
  if (observed.contains(number::kSamples)) return JudgeFirst(spec, observed, std::move(members));
  const auto votes = std::count_if(members.begin(), members.end(),
                                   [](const Verdict& member) { return member.has_voted_at(); });
  const int64_t needed = spec.Needed();
  const auto had = static_cast<double>(votes), wanted = static_cast<double>(needed);
  Verdict verdict = NewVerdict(EnsembleTrigger::kType, ObservedOf({{number::kVotes, had}}));
  verdict.set_fired(votes >= needed);
  *verdict.mutable_comparison() = Compared("votes", had, wanted, "votes");
  const bool one_turns = verdict.fired() ? votes == needed : votes == needed - 1;
  if (auto nearest = one_turns ? NearestOf(members, verdict.fired()) : std::nullopt) {
    *verdict.mutable_nearest() = *std::move(nearest);
  } else if (votes != needed) {
    *verdict.mutable_nearest() = ChangeOf("votes", had, wanted);
  }
  AddMembers(std::move(members), verdict);
  return verdict;
}

std::string Explain(const EnsembleTrigger& spec, const Verdict& verdict) {
  if (verdict.observed().contains(number::kSamples)) {
    return fmt::format("{} had come of the {} that the first training waits for",
                       Counted(ValueOf(verdict.observed(), number::kSamples), "sample"),
                       spec.first.value_or(1));
  }
  return fmt::format("{} of {} policies had voted for a training; {} {} needed",
                     Figure(ValueOf(verdict.observed(), number::kVotes)), spec.of.size(),
                     spec.Needed(), spec.Needed() == 1 ? "is" : "are");
}

void EnsembleTrigger::Check(config::Problems& problems) const {
  if (at_least.has_value() != (vote == VoteRule::kAtLeast)) {
    problems.Add(at_least ? "at_least" : "vote",
                 at_least ? "needs vote: at_least" : "needs the key at_least",
                 at_least ? "write vote: at_least" : "add at_least: 2");
  } else if (at_least && *at_least > static_cast<int64_t>(of.size())) {
    problems.Add("at_least", "is greater than the number of policies", "write a smaller number");
  }
}

int64_t EnsembleTrigger::Needed() const {
  const auto size = static_cast<int64_t>(of.size());
  switch (vote) {
    case VoteRule::kMajority:
      return size / 2 + 1;
    case VoteRule::kAtLeast:
      return at_least.value_or(size);
    case VoteRule::kAll:
      return size;
    case VoteRule::kAny:
      break;
  }
  return 1;
}

Verdict TriggerOf<EnsembleTrigger>::Replay(const Verdict& recorded) const {
  std::vector<Verdict> members;
  for (size_t i = 0; i < spec_.of.size() && static_cast<int>(i) < recorded.members_size(); ++i) {
    const Verdict& member = recorded.members(static_cast<int>(i));
    Verdict& again = members.emplace_back(member);
    if (member.passed_over()) continue;
    again = spec_.of[i]->Replay(member);
    if (member.has_voted_at()) *again.mutable_voted_at() = member.voted_at();
  }
  return Judge(spec_, recorded.observed(), std::move(members));
}

TriggerNeeds NeedsOf(const EnsembleTrigger&) { return {}; }

void TriggerOf<EnsembleTrigger>::TakeFiles(config::NamedFiles& files, config::Problems& problems) {
  for (size_t i = 0; i < spec_.of.size(); ++i) {
    const config::Problems::Scope scope(problems, fmt::format("of[{}]", i));
    spec_.of[i]->TakeFiles(files, problems);
  }
}

std::vector<config::Remark> TriggerOf<EnsembleTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks = FindOutOfReach("first", spec_.first, stream);
  const auto num_silent = std::ranges::count_if(
      spec_.of, [](const TriggerSpec& member) { return member.type() == NeverTrigger::kType; });
  if (static_cast<int64_t>(spec_.of.size()) - num_silent < spec_.Needed()) {
    remarks.push_back({.path = "vote",
                       .message = fmt::format("needs {} of {} votes, but {} of the policies never "
                                              "vote for another training",
                                              spec_.Needed(), spec_.of.size(), num_silent),
                       .hint = "write vote: any, or leave out the policies of type never"});
  }
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, EnsembleTrigger)

}  // namespace tidemill::supervisor

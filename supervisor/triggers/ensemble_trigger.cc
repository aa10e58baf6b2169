#include "supervisor/triggers/ensemble_trigger.h"

#include <algorithm>
#include <utility>

#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/never_trigger.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/sealed_fields.h"

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
  std::vector<EvidenceRequest> Needs(const Cut& at) const override {
    std::vector<EvidenceRequest> needs;
    for (const Member& member : members_) {
      if (!IsDue(member, at)) continue;
      const std::vector<EvidenceRequest> own = member.policy->Needs(at);
      needs.insert(needs.end(), own.begin(), own.end());
    }
    return needs;
  }
  Verdict Decide(const Evidence& evidence) override {
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
      verdicts.push_back(Ask(members_[i], spec_.of[i], own, due));
    }
    Observed observed;
    if (until_first_) observed["samples"] = static_cast<double>(until_first_->seen());
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
  nlohmann::json Seal() const override {
    nlohmann::json members = nlohmann::json::array();
    for (const Member& member : members_) {
      members.push_back({{"voted_at", SealCut(member.voted_at)}, {"state", member.policy->Seal()}});
    }
    nlohmann::json state = {{"members", std::move(members)}};
    if (spec_.first) state["until_first"] = until_first_ ? until_first_->Seal() : nullptr;
    return state;
  }
  absl::Status Restore(const nlohmann::json& state) override {
    if (spec_.first) RETURN_IF_ERROR(RestoreUntilFirst(state));
    ASSIGN_OR_RETURN(const nlohmann::json* members, SealedList(state, "members"));
    if (members->size() != members_.size()) {
      return DataLoss("a sealed ensemble has {} members, this one {}", members->size(),
                      members_.size());
    }
    for (size_t i = 0; i < members_.size(); ++i) {
      RETURN_IF_ERROR(ReadSealed((*members)[i], "voted_at", members_[i].voted_at));
      ASSIGN_OR_RETURN(const nlohmann::json* own, SealedField((*members)[i], "state"));
      RETURN_IF_ERROR(members_[i].policy->Restore(*own));
    }
    return absl::OkStatus();
  }

 private:
  struct Member {
    std::unique_ptr<TriggerPolicy> policy;
    std::optional<Cut> voted_at;
  };

  absl::Status RestoreUntilFirst(const nlohmann::json& state) {
    ASSIGN_OR_RETURN(const nlohmann::json* grid, SealedField(state, "until_first"));
    until_first_.reset();
    if (grid->is_null()) return absl::OkStatus();
    return until_first_.emplace(*spec_.first).Restore(*grid);
  }

  // Whether a point, which all members have reached, is one of its own.
  static bool IsDue(const Member& member, const Cut& at) {
    const auto point = member.policy->NextPoint({}, at.event_time);
    return point && point->at == at;
  }

  // The member's verdict, if it is due, and its vote.
  static Verdict Ask(Member& member, const TriggerSpec& spec, const Evidence& evidence, bool due) {
    Verdict verdict;
    if (due) {
      verdict = member.policy->Decide(evidence);
    } else {
      verdict.policy = std::string(spec.type());
      verdict.evaluated = false;
    }
    if (verdict.fired && !member.voted_at) member.voted_at = evidence.at;
    verdict.voted_at = member.voted_at;
    return verdict;
  }

  const EnsembleTrigger spec_;
  std::vector<Member> members_;
  // Counts up to the first training; absent from there on and where nothing is said of it.
  std::optional<SampleGrid> until_first_;
};

// How far a verdict is from its threshold, as a part of it: what is nearest to turn.
double Distance(const Verdict& verdict) {
  const Comparison& compared = *verdict.comparison;
  return std::abs(compared.margin()) / std::max(std::abs(compared.threshold), 1e-300);
}

// A vote that was missing, or one too many, where one vote turns the answer: the change of the
// member that was nearest to the other answer.
std::optional<Change> NearestOf(const std::vector<Verdict>& members, bool fired) {
  const Verdict* nearest = nullptr;
  for (const Verdict& member : members) {
    const bool turns = member.evaluated && member.fired == fired && member.nearest &&
                       member.comparison && (fired || !member.voted_at);
    if (turns && (nearest == nullptr || Distance(member) < Distance(*nearest))) nearest = &member;
  }
  if (nearest == nullptr) return std::nullopt;
  Change change = *nearest->nearest;
  change.key = fmt::format("of[{}].{}", nearest - members.data(), change.key);
  return change;
}

Verdict JudgeFirst(const EnsembleTrigger& spec, const Observed& observed,
                   std::vector<Verdict> members) {
  const double samples = ValueOf(observed, "samples");
  const auto first = static_cast<double>(spec.first.value_or(1));
  return {.policy = std::string(EnsembleTrigger::kType),
          .fired = samples >= first,
          .observed = observed,
          .comparison = Comparison{"samples without a model", samples, first, "samples"},
          .nearest = Change{"first", first, samples},
          .members = std::move(members)};
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const EnsembleTrigger& spec) {
  return std::make_unique<EnsemblePolicy>(spec);
}

Verdict Judge(const EnsembleTrigger& spec, const Observed& observed, std::vector<Verdict> members) {
  if (observed.contains("samples")) return JudgeFirst(spec, observed, std::move(members));
  const auto votes = std::count_if(members.begin(), members.end(), [](const Verdict& member) {
    return member.voted_at.has_value();
  });
  const int64_t needed = spec.Needed();
  Verdict verdict = {.policy = std::string(EnsembleTrigger::kType),
                     .fired = votes >= needed,
                     .observed = {{"votes", static_cast<double>(votes)}},
                     .comparison = Comparison{"votes", static_cast<double>(votes),
                                              static_cast<double>(needed), "votes"}};
  const bool one_turns = verdict.fired ? votes == needed : votes == needed - 1;
  if (one_turns) verdict.nearest = NearestOf(members, verdict.fired);
  if (!verdict.nearest && votes != needed) {
    verdict.nearest = Change{"votes", static_cast<double>(votes), static_cast<double>(needed)};
  }
  verdict.members = std::move(members);
  return verdict;
}

std::string Explain(const EnsembleTrigger& spec, const Verdict& verdict) {
  if (verdict.observed.contains("samples")) {
    return fmt::format("{} had come of the {} that the first training waits for",
                       Counted(ValueOf(verdict.observed, "samples"), "sample"),
                       spec.first.value_or(1));
  }
  return fmt::format("{} of {} policies had voted for a training; {} {} needed",
                     Figure(ValueOf(verdict.observed, "votes")), spec.of.size(), spec.Needed(),
                     spec.Needed() == 1 ? "is" : "are");
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

Verdict Replay(const EnsembleTrigger& spec, const Verdict& recorded) {
  std::vector<Verdict> members;
  for (size_t i = 0; i < recorded.members.size() && i < spec.of.size(); ++i) {
    const Verdict& member = recorded.members[i];
    Verdict again = member.evaluated ? spec.of[i]->Replay(member) : member;
    again.evaluated = member.evaluated;
    again.voted_at = member.voted_at;
    members.push_back(std::move(again));
  }
  return Judge(spec, recorded.observed, std::move(members));
}

TriggerNeeds NeedsOf(const EnsembleTrigger&) { return {}; }

std::span<const TriggerSpec> MembersOf(const EnsembleTrigger& spec) { return spec.of; }

void TakeFiles(EnsembleTrigger& spec, config::NamedFiles& files, config::Problems& problems) {
  for (size_t i = 0; i < spec.of.size(); ++i) {
    const config::Problems::Scope scope(problems, fmt::format("of[{}]", i));
    spec.of[i]->TakeFiles(files, problems);
  }
}

std::vector<config::Remark> Advise(const EnsembleTrigger& spec, const StreamFacts& stream) {
  std::vector<config::Remark> remarks = FindOutOfReach("first", spec.first, stream);
  const auto num_silent = std::ranges::count_if(
      spec.of, [](const TriggerSpec& member) { return member.type() == NeverTrigger::kType; });
  if (static_cast<int64_t>(spec.of.size()) - num_silent < spec.Needed()) {
    remarks.push_back({.path = "vote",
                       .message = fmt::format("needs {} of {} votes, but {} of the policies never "
                                              "vote for another training",
                                              spec.Needed(), spec.of.size(), num_silent),
                       .hint = "write vote: any, or leave out the policies of type never"});
  }
  return remarks;
}

}  // namespace tidemill::supervisor

#include "supervisor/decisions/decision_record.h"

#include <utility>
#include <variant>

#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {
namespace {

v1::DecisionCause CauseOf(DecisionCause cause) {
  switch (cause) {
    case DecisionCause::kRequest:
      return v1::DECISION_CAUSE_REQUEST;
    case DecisionCause::kNothingNew:
      return v1::DECISION_CAUSE_NOTHING_NEW;
    case DecisionCause::kPolicy:
      break;
  }
  return v1::DECISION_CAUSE_UNSPECIFIED;
}

void Fill(const Verdict& verdict, v1::Verdict& proto) {
  proto.set_policy(verdict.policy);
  proto.set_fired(verdict.fired);
  proto.mutable_observed()->insert(verdict.observed.begin(), verdict.observed.end());
  if (const auto& compared = verdict.comparison) {
    proto.mutable_comparison()->set_quantity(compared->quantity);
    proto.mutable_comparison()->set_value(compared->value);
    proto.mutable_comparison()->set_threshold(compared->threshold);
    proto.mutable_comparison()->set_unit(compared->unit);
    proto.mutable_comparison()->set_waiting(compared->waiting);
  }
  if (const auto& nearest = verdict.nearest) {
    proto.mutable_nearest()->set_key(nearest->key);
    proto.mutable_nearest()->set_from(nearest->from);
    proto.mutable_nearest()->set_to(nearest->to);
  }
  proto.set_because(verdict.because);
  if (const auto& fault = verdict.fault) {
    // The traceback is in the event: there are many decisions.
    proto.mutable_fault()->set_what(fault->what);
  }
  for (const Verdict& member : verdict.members) Fill(member, *proto.add_members());
  proto.set_passed_over(!verdict.evaluated);
  if (verdict.voted_at) *proto.mutable_voted_at() = ToProto(*verdict.voted_at);
}

Verdict FromProto(const v1::Verdict& proto) {
  Verdict verdict = {.policy = proto.policy(), .fired = proto.fired()};
  verdict.observed.insert(proto.observed().begin(), proto.observed().end());
  if (proto.has_comparison()) {
    const v1::Comparison& compared = proto.comparison();
    verdict.comparison = {compared.quantity(), compared.value(), compared.threshold(),
                          compared.unit(), compared.waiting()};
  }
  if (proto.has_nearest()) {
    verdict.nearest = {proto.nearest().key(), proto.nearest().from(), proto.nearest().to()};
  }
  verdict.because = proto.because();
  if (proto.has_fault()) {
    verdict.fault = PolicyFault{.what = proto.fault().what()};
  }
  for (const v1::Verdict& member : proto.members()) verdict.members.push_back(FromProto(member));
  verdict.evaluated = !proto.passed_over();
  if (proto.has_voted_at()) verdict.voted_at = supervisor::FromProto(proto.voted_at());
  return verdict;
}

std::string TextOf(const TriggerSpec& spec, const v1::Verdict& verdict) {
  if (!verdict.passed_over()) return spec->Explain(FromProto(verdict));
  return verdict.has_voted_at() ? "it did not decide here; its vote still counts"
                                : "it did not decide here";
}

void AddTexts(const TriggerSpec& spec, v1::Verdict& verdict) {
  verdict.set_text(TextOf(spec, verdict));
  const std::span<const TriggerSpec> members = spec->members();
  for (int i = 0; i < verdict.members_size() && i < static_cast<int>(members.size()); ++i) {
    AddTexts(members[static_cast<size_t>(i)], *verdict.mutable_members(i));
  }
}

}  // namespace

v1::Decision ToProto(const Decision& decision) {
  v1::Decision record;
  *record.mutable_at() = ToProto(decision.at);
  record.set_fired(decision.fired);
  record.set_num_samples(decision.num_samples);
  record.set_num_new(decision.num_new);
  const Observed& observed = decision.verdict.observed;
  record.mutable_observed()->insert(observed.begin(), observed.end());
  record.set_cause(CauseOf(decision.cause));
  Fill(decision.verdict, *record.mutable_verdict());
  record.set_seconds(decision.seconds);
  return record;
}

Verdict VerdictOf(const v1::Decision& record, const TriggerSpec& spec) {
  if (record.has_verdict()) return FromProto(record.verdict());
  Verdict recorded;
  recorded.observed.insert(record.observed().begin(), record.observed().end());
  return spec->Replay(recorded);
}

void AddTexts(const TriggerSpec& spec, v1::Decision& record) {
  if (!record.has_verdict()) {
    const Verdict verdict = VerdictOf(record, spec);
    Fill(verdict, *record.mutable_verdict());
  }
  v1::Verdict& verdict = *record.mutable_verdict();
  if (record.cause() == v1::DECISION_CAUSE_REQUEST) {
    verdict.set_text("a user asked for a training");
    return;
  }
  AddTexts(spec, verdict);
  if (record.cause() == v1::DECISION_CAUSE_NOTHING_NEW) {
    verdict.set_text(verdict.text() + ". All samples before it had already been trained on");
  }
}

}  // namespace tidemill::supervisor

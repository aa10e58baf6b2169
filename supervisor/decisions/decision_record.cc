#include "supervisor/decisions/decision_record.h"

#include <utility>
#include <variant>

#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {
namespace {

// There are many decisions, and the traceback of the first fault is in its event.
void ClearTracebacks(v1::Verdict& verdict) {
  if (verdict.has_fault()) verdict.mutable_fault()->clear_traceback();
  for (v1::Verdict& member : *verdict.mutable_members()) ClearTracebacks(member);
}

std::string TextOf(const TriggerSpec& spec, const v1::Verdict& verdict) {
  if (!verdict.passed_over()) return spec->Explain(verdict);
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
  record.set_cause(decision.cause);
  *record.mutable_verdict() = decision.verdict;
  ClearTracebacks(*record.mutable_verdict());
  record.set_seconds(decision.seconds);
  return record;
}

bool HasAnswer(const v1::Decision& record) { return !record.verdict().policy().empty(); }

Verdict VerdictOf(const v1::Decision& record, const TriggerSpec& spec) {
  return HasAnswer(record) ? record.verdict() : spec->Replay(record.verdict());
}

void AddTexts(const TriggerSpec& spec, v1::Decision& record) {
  if (!HasAnswer(record)) *record.mutable_verdict() = VerdictOf(record, spec);
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

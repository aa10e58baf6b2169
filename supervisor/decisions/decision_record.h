// Decisions in the form in which they are stored and sent.
#pragma once

#include "supervisor/triggers/decider.h"
#include "supervisor/triggers/verdict.h"
#include "tidemill/supervisor/v1/decision.pb.h"

namespace tidemill::supervisor {

// The number, the trigger and the wall time are left out, because the decision does not know them.
v1::Decision ToProto(const Decision& decision);

// Whether the record has the answer of the policy. Older records without verdicts have only the
// observations of a single policy.
bool HasAnswer(const v1::Decision& record);

// Returns the verdict of a record. For one without an answer, the rule of the policy computes it
// again.
Verdict VerdictOf(const v1::Decision& record, const TriggerSpec& spec);

// Adds the sentences to the verdict and its members, and the answer when the record has none.
void AddTexts(const TriggerSpec& spec, v1::Decision& record);

}  // namespace tidemill::supervisor

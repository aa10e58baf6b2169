// Decisions in the form in which they are stored and sent.
#pragma once

#include "supervisor/triggers/decider.h"
#include "supervisor/triggers/verdict.h"
#include "tidemill/supervisor/v1/decision.pb.h"

namespace tidemill::supervisor {

// The number, the trigger and the wall time are left out, because the decision does not know them.
v1::Decision ToProto(const Decision& decision);

// Returns the verdict of a record. Older records have only the observations of a single policy; its
// rule computes the answer again.
Verdict VerdictOf(const v1::Decision& record, const TriggerSpec& spec);

// Adds the sentences to the verdict and its members. Adds a verdict when the record has none.
void AddTexts(const TriggerSpec& spec, v1::Decision& record);

}  // namespace tidemill::supervisor

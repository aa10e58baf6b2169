// Decisions as they are kept and sent.
#pragma once

#include "supervisor/triggers/decider.h"
#include "supervisor/triggers/verdict.h"
#include "tidemill/supervisor/v1/decision.pb.h"

namespace tidemill::supervisor {

// Without its number, trigger and wall time, which the decision does not know.
v1::Decision ToProto(const Decision& decision);

// The verdict of a record. Records from before verdicts were kept have the observations of a single
// policy, whose rule finds the answer again.
Verdict VerdictOf(const v1::Decision& record, const TriggerSpec& spec);

// Adds the sentences to the verdict and its members, and a verdict where the record has none.
void AddTexts(const TriggerSpec& spec, v1::Decision& record);

}  // namespace tidemill::supervisor

// How far the current windows of evaluations that follow one another overlap.
#pragma once

#include "supervisor/triggers/drift/drift_trigger.h"
#include "supervisor/triggers/plain/decision_interval.h"

namespace tidemill::supervisor {

// Returns the share of the current window that is new at each evaluation, with `rate` samples a
// second; 1 and more when windows do not overlap.
double NewShare(const DecisionInterval& evaluate, const SampleWindow& window, double rate);

}  // namespace tidemill::supervisor

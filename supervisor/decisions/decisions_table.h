// The rows of supervisor.decisions and policy_states. Functions work inside the caller's
// transaction and throw what libpqxx throws, which db::Database::Transact catches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "base/time.h"
#include "supervisor/triggers/verdict.h"
#include "tidemill/supervisor/v1/decision.pb.h"
#include <pqxx/pqxx>

namespace tidemill::supervisor {

// Decisions of a run that follow each other, and the state of its policy behind the last of them.
struct DecisionBatch {
  // Of the first one, from 1 in the run.
  int64_t first_number = 1;
  std::vector<Decision> decisions;
  // What Decider::Seal() gave.
  std::string state;
  // What the last one fired; 0 for nothing. The others fire nothing.
  int64_t trigger = 0;
};

// The last decision of a run that counts: what the run goes on from.
struct LastDecision {
  int64_t number = 0;
  Cut at;
  bool fired = false;
  // Empty where it was not kept.
  std::string state;
};

// Writes the batch and the state in two statements. A decision that is there already stays as it
// is: a commit whose answer was lost is made again.
void AddDecisions(pqxx::work& work, RunId run, const DecisionBatch& batch);

std::optional<LastDecision> FindLastDecision(pqxx::work& work, RunId run);

// All in order; where there are more than `most`, those that fired.
std::vector<v1::Decision> ListDecisions(pqxx::work& work, RunId run, int64_t most);

// Each std::nullopt where there is none.
std::optional<v1::Decision> FindDecision(pqxx::work& work, RunId run, int64_t number);
std::optional<v1::Decision> FindDecisionOfTrigger(pqxx::work& work, RunId run, int64_t trigger);
// The last one at or before that time; absent: of all.
std::optional<v1::Decision> FindDecisionAt(pqxx::work& work, RunId run,
                                           std::optional<Timestamp> time);
// The last one before decision `number` that fired.
std::optional<v1::Decision> FindTriggerBefore(pqxx::work& work, RunId run, int64_t number);

}  // namespace tidemill::supervisor

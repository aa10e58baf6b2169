// The rows of supervisor.decisions and policy_states. The functions work in the caller's
// transaction. They throw what libpqxx throws; db::Database::Transact catches it.
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

// Consecutive decisions of a run, and the state of its policy after the last of them.
struct DecisionBatch {
  // The number of the first one; numbers begin at 1 in the run.
  int64_t first_number = 1;
  std::vector<Decision> decisions;
  // The result of Decider::Seal().
  std::string state;
  // The trigger that the last decision fired; 0 for none. The other decisions did not fire.
  int64_t trigger = 0;
};

// The last decision of a run that counts. The run continues from it.
struct LastDecision {
  int64_t number = 0;
  Cut at;
  bool fired = false;
  // Empty when it was not stored.
  std::string state;
};

// Writes the batch and the state in two statements. A decision that exists already does not change,
// because a commit whose answer was lost is repeated.
void AddDecisions(pqxx::work& work, RunId run, const DecisionBatch& batch);

std::optional<LastDecision> FindLastDecision(pqxx::work& work, RunId run);

// Returns all decisions in order. When there are more than `most`, returns those that fired.
std::vector<v1::Decision> ListDecisions(pqxx::work& work, RunId run, int64_t most);

// These return std::nullopt when there is none.
std::optional<v1::Decision> FindDecision(pqxx::work& work, RunId run, int64_t number);
std::optional<v1::Decision> FindDecisionOfTrigger(pqxx::work& work, RunId run, int64_t trigger);
// Returns the last decision at or before that time, or the last of all when `time` is absent.
std::optional<v1::Decision> FindDecisionAt(pqxx::work& work, RunId run,
                                           std::optional<Timestamp> time);
// Returns the last decision before `number` that fired.
std::optional<v1::Decision> FindTriggerBefore(pqxx::work& work, RunId run, int64_t number);

}  // namespace tidemill::supervisor

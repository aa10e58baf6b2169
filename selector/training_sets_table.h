// The rows of selector.training_sets. Functions work inside the caller's transaction and throw
// what libpqxx throws, which db::Database::Transact catches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "tidemill/selector/v1/selector.pb.h"
#include <pqxx/pqxx>

namespace tidemill::selector {

// What others see of a set, and what they do not.
struct TrainingSetRow {
  v1::TrainingSet set;
  // Of the file with the keys chosen so far (chosen_file.h); empty: there is none.
  std::string chosen_digest = {};
};

// Waits until no other transaction works on the set; held until this one ends.
void LockTrainingSet(pqxx::work& work, RunId run, int64_t trigger);
std::optional<v1::TrainingSet> FindTrainingSet(pqxx::work& work, RunId run, int64_t trigger);
// Those of a run before a trigger, ascending.
std::vector<TrainingSetRow> TrainingSetsBefore(pqxx::work& work, RunId run, int64_t trigger);
void InsertTrainingSet(pqxx::work& work, const TrainingSetRow& row);
// The triggers before `before` whose sets are not removed, ascending; and marks them as removed.
std::vector<int64_t> KeptTrainingSets(pqxx::work& work, RunId run, int64_t before);
void MarkRemoved(pqxx::work& work, RunId run, int64_t before);
// Returns how many there were.
int64_t DeleteTrainingSets(pqxx::work& work, RunId run);

}  // namespace tidemill::selector

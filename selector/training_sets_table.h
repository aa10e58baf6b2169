// The rows of selector.training_sets. The functions work in the caller's transaction. They throw
// what libpqxx throws; db::Database::Transact catches it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "tidemill/selector/v1/selector.pb.h"
#include <pqxx/pqxx>

namespace tidemill::selector {

// The public part of a training set, and the part that only the selector sees.
struct TrainingSetRow {
  v1::TrainingSet set;
  // The digest of the file with the keys chosen so far (chosen_file.h). Empty when there is no
  // file.
  std::string chosen_digest = {};
};

// Locks the set until the transaction ends. Waits until no other transaction holds the lock.
void LockTrainingSet(pqxx::work& work, RunId run, int64_t trigger);
std::optional<v1::TrainingSet> FindTrainingSet(pqxx::work& work, RunId run, int64_t trigger);
// Returns the sets of a run before a trigger, ascending.
std::vector<TrainingSetRow> TrainingSetsBefore(pqxx::work& work, RunId run, int64_t trigger);
// Returns the sets of a dataset, without their summaries, in the order (run, trigger).
std::vector<TrainingSetRow> TrainingSetsOf(pqxx::work& work, DatasetId dataset);
void InsertTrainingSet(pqxx::work& work, const TrainingSetRow& row);
// KeptTrainingSets() returns the triggers before `before` whose sets are not removed, ascending.
// MarkRemoved() marks these sets as removed.
std::vector<int64_t> KeptTrainingSets(pqxx::work& work, RunId run, int64_t before);
void MarkRemoved(pqxx::work& work, RunId run, int64_t before);
// Returns the number of sets deleted.
int64_t DeleteTrainingSets(pqxx::work& work, RunId run);

}  // namespace tidemill::selector

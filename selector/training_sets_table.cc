#include "selector/training_sets_table.h"

#include <string>

namespace tidemill::selector {
namespace {

constexpr char kLock[] = R"(
  SELECT pg_advisory_xact_lock(hashtextextended('training set ' || $1 || '/' || $2, 0)))";

constexpr char kFind[] = R"(
  SELECT dataset_id, num_samples, num_candidates, weighted, digest, num_late, late_digest, removed
  FROM selector.training_sets
  WHERE run_id = $1 AND trigger = $2)";

constexpr char kInsert[] = R"(
  INSERT INTO selector.training_sets
    (run_id, trigger, dataset_id, num_samples, num_candidates, weighted, digest, num_late,
     late_digest)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9))";

constexpr char kFindKept[] = R"(
  SELECT trigger FROM selector.training_sets
  WHERE run_id = $1 AND trigger < $2 AND NOT removed
  ORDER BY trigger)";

constexpr char kMarkRemoved[] = R"(
  UPDATE selector.training_sets SET removed = true
  WHERE run_id = $1 AND trigger < $2 AND NOT removed)";

constexpr char kDelete[] = "DELETE FROM selector.training_sets WHERE run_id = $1";

}  // namespace

void LockTrainingSet(pqxx::work& work, RunId run, int64_t trigger) {
  work.exec_params(kLock, std::to_string(run.value), std::to_string(trigger));
}

std::optional<v1::TrainingSet> FindTrainingSet(pqxx::work& work, RunId run, int64_t trigger) {
  const pqxx::result rows = work.exec_params(kFind, run.value, trigger);
  if (rows.empty()) return std::nullopt;
  v1::TrainingSet set;
  set.set_run_id(run.value);
  set.set_trigger(trigger);
  set.set_dataset_id(rows[0][0].as<int64_t>());
  set.set_num_samples(rows[0][1].as<int64_t>());
  set.set_num_candidates(rows[0][2].as<int64_t>());
  set.set_weighted(rows[0][3].as<bool>());
  set.set_digest(rows[0][4].as<std::string>());
  set.set_num_late(rows[0][5].as<int64_t>());
  set.set_late_digest(rows[0][6].as<std::string>());
  set.set_removed(rows[0][7].as<bool>());
  return set;
}

void InsertTrainingSet(pqxx::work& work, const v1::TrainingSet& set) {
  work.exec_params(kInsert, set.run_id(), set.trigger(), set.dataset_id(), set.num_samples(),
                   set.num_candidates(), set.weighted(), set.digest(), set.num_late(),
                   set.late_digest());
}

std::vector<int64_t> KeptTrainingSets(pqxx::work& work, RunId run, int64_t before) {
  std::vector<int64_t> triggers;
  for (const pqxx::row& row : work.exec_params(kFindKept, run.value, before)) {
    triggers.push_back(row[0].as<int64_t>());
  }
  return triggers;
}

void MarkRemoved(pqxx::work& work, RunId run, int64_t before) {
  work.exec_params(kMarkRemoved, run.value, before);
}

int64_t DeleteTrainingSets(pqxx::work& work, RunId run) {
  return static_cast<int64_t>(work.exec_params(kDelete, run.value).affected_rows());
}

}  // namespace tidemill::selector

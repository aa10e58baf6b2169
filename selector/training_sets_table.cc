#include "selector/training_sets_table.h"

#include <string>

namespace tidemill::selector {
namespace {

constexpr char kLock[] = R"(
  SELECT pg_advisory_xact_lock(hashtextextended('training set ' || $1 || '/' || $2, 0)))";

constexpr char kFind[] = R"(
  SELECT dataset_id, num_samples, num_candidates, weighted, digest
  FROM selector.training_sets
  WHERE run_id = $1 AND trigger = $2)";

constexpr char kInsert[] = R"(
  INSERT INTO selector.training_sets
    (run_id, trigger, dataset_id, num_samples, num_candidates, weighted, digest)
  VALUES ($1, $2, $3, $4, $5, $6, $7))";

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
  return set;
}

void InsertTrainingSet(pqxx::work& work, const v1::TrainingSet& set) {
  work.exec_params(kInsert, set.run_id(), set.trigger(), set.dataset_id(), set.num_samples(),
                   set.num_candidates(), set.weighted(), set.digest());
}

int64_t DeleteTrainingSets(pqxx::work& work, RunId run) {
  return static_cast<int64_t>(work.exec_params(kDelete, run.value).affected_rows());
}

}  // namespace tidemill::selector

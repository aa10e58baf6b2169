#include "selector/training_sets_table.h"

#include <string>
#include <utility>

namespace tidemill::selector {
namespace {

constexpr char kLock[] = R"(
  SELECT pg_advisory_xact_lock(hashtextextended('training set ' || $1 || '/' || $2, 0)))";

constexpr char kFind[] = R"(
  SELECT trigger, dataset_id, num_samples, num_candidates, weighted, digest, num_late, late_digest,
         removed, summary, chosen_digest
  FROM selector.training_sets
  WHERE run_id = $1 AND trigger >= $2 AND trigger < $3
  ORDER BY trigger)";

constexpr char kFindOfDataset[] = R"(
  SELECT trigger, dataset_id, num_samples, num_candidates, weighted, digest, num_late, late_digest,
         removed, ''::bytea, chosen_digest, run_id
  FROM selector.training_sets
  WHERE dataset_id = $1
  ORDER BY run_id, trigger)";

constexpr char kInsert[] = R"(
  INSERT INTO selector.training_sets
    (run_id, trigger, dataset_id, num_samples, num_candidates, weighted, digest, num_late,
     late_digest, summary, chosen_digest)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11))";

constexpr char kFindKept[] = R"(
  SELECT trigger FROM selector.training_sets
  WHERE run_id = $1 AND trigger < $2 AND NOT removed
  ORDER BY trigger)";

constexpr char kMarkRemoved[] = R"(
  UPDATE selector.training_sets SET removed = true
  WHERE run_id = $1 AND trigger < $2 AND NOT removed)";

constexpr char kDelete[] = "DELETE FROM selector.training_sets WHERE run_id = $1";

TrainingSetRow RowOf(RunId run, const pqxx::row& columns) {
  TrainingSetRow row;
  v1::TrainingSet& set = row.set;
  set.set_run_id(run.value);
  set.set_trigger(columns[0].as<int64_t>());
  set.set_dataset_id(columns[1].as<int64_t>());
  set.set_num_samples(columns[2].as<int64_t>());
  set.set_num_candidates(columns[3].as<int64_t>());
  set.set_weighted(columns[4].as<bool>());
  set.set_digest(columns[5].as<std::string>());
  set.set_num_late(columns[6].as<int64_t>());
  set.set_late_digest(columns[7].as<std::string>());
  set.set_removed(columns[8].as<bool>());
  const pqxx::binarystring summary(columns[9]);
  if (!summary.empty()) {
    set.mutable_summary()->ParseFromArray(summary.data(), static_cast<int>(summary.size()));
  }
  row.chosen_digest = columns[10].as<std::string>();
  return row;
}

// From trigger `from` to before `to`.
std::vector<TrainingSetRow> Between(pqxx::work& work, RunId run, int64_t from, int64_t to) {
  std::vector<TrainingSetRow> found;
  for (const pqxx::row& row : work.exec_params(kFind, run.value, from, to)) {
    found.push_back(RowOf(run, row));
  }
  return found;
}

}  // namespace

void LockTrainingSet(pqxx::work& work, RunId run, int64_t trigger) {
  work.exec_params(kLock, std::to_string(run.value), std::to_string(trigger));
}

std::optional<v1::TrainingSet> FindTrainingSet(pqxx::work& work, RunId run, int64_t trigger) {
  std::vector<TrainingSetRow> rows = Between(work, run, trigger, trigger + 1);
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front().set);
}

std::vector<TrainingSetRow> TrainingSetsBefore(pqxx::work& work, RunId run, int64_t trigger) {
  return Between(work, run, 0, trigger);
}

std::vector<TrainingSetRow> TrainingSetsOf(pqxx::work& work, DatasetId dataset) {
  std::vector<TrainingSetRow> found;
  for (const pqxx::row& row : work.exec_params(kFindOfDataset, dataset.value)) {
    found.push_back(RowOf(RunId{row[11].as<int64_t>()}, row));
  }
  return found;
}

void InsertTrainingSet(pqxx::work& work, const TrainingSetRow& row) {
  const v1::TrainingSet& set = row.set;
  const std::string summary = set.summary().SerializeAsString();
  work.exec_params(kInsert, set.run_id(), set.trigger(), set.dataset_id(), set.num_samples(),
                   set.num_candidates(), set.weighted(), set.digest(), set.num_late(),
                   set.late_digest(), pqxx::binarystring(summary), row.chosen_digest);
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

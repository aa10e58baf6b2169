#include "evaluator/outcomes_table.h"

#include <bit>
#include <limits>
#include <utility>

#include "batch/wire.h"

namespace tidemill::evaluator {
namespace {

constexpr char kInsertOutcomes[] = R"(
  INSERT INTO evaluator.outcomes
    (run_id, evaluation, window_index, model_id, baseline, trigger, in_use, key_limit, columns)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9))";

constexpr char kSelectVersion[] = R"(
  SELECT count(*) AS num_rows, coalesce(sum(octet_length(columns)), 0)::bigint AS num_bytes,
         (SELECT count(*) FROM evaluator.jobs WHERE run_id = $1) AS num_jobs
  FROM evaluator.outcomes WHERE run_id = $1)";

constexpr char kSelectOutcomes[] = R"(
  SELECT o.evaluation, o.model_id, o.trigger, o.baseline, o.in_use, o.key_limit, o.columns,
         (extract(epoch FROM w.from_time) * 1000000)::bigint AS from_micros, w.from_key,
         (extract(epoch FROM w.to_time) * 1000000)::bigint AS to_micros, w.to_key
  FROM evaluator.outcomes AS o JOIN evaluator.windows AS w USING (run_id, evaluation, window_index)
  WHERE o.run_id = $1
  ORDER BY o.evaluation, o.window_index, o.model_id, o.baseline)";

constexpr char kSelectRequests[] = R"(
  SELECT evaluation, request FROM evaluator.jobs WHERE run_id = $1 ORDER BY evaluation)";

constexpr char kUpdateImportances[] = R"(
  UPDATE evaluator.windows SET importances = $4
  WHERE run_id = $1 AND evaluation = $2 AND window_index = $3)";

constexpr char kSelectImportances[] = R"(
  SELECT w.evaluation, j.dataset_name, w.importances
  FROM evaluator.windows AS w JOIN evaluator.jobs AS j USING (run_id, evaluation)
  WHERE w.run_id = $1 AND w.importances IS NOT NULL ORDER BY w.evaluation, w.window_index)";

int64_t NumberOr(const pqxx::field& field, int64_t absent) {
  return field.is_null() ? absent : field.as<int64_t>();
}

absl::StatusOr<OutcomesRow> ToRow(const pqxx::row& row) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();
  OutcomesRow read{
      .evaluation = row["evaluation"].as<int32_t>(),
      .window = {NumberOr(row["from_micros"], kLeast), NumberOr(row["from_key"], kLeast),
                 NumberOr(row["to_micros"], kGreatest), NumberOr(row["to_key"], kGreatest)},
      .model_id = row["model_id"].as<int64_t>(),
      .trigger = row["trigger"].as<int64_t>(),
      .baseline = row["baseline"].as<std::string>(),
      .in_use = row["in_use"].as<bool>()};
  read.kept.key_limit = std::bit_cast<uint64_t>(row["key_limit"].as<int64_t>());
  ASSIGN_OR_RETURN(
      read.kept.columns,
      batch::Decode(batch::Buffer::FromString(pqxx::binarystring(row["columns"]).str())));
  return read;
}

}  // namespace

void OutcomesTable::Insert(const JobKey& job, int64_t window_index, const v1::ModelScores& scores) {
  const v1::KeptOutcomes& kept = scores.outcomes();
  work_.exec_params(kInsertOutcomes, job.run.value, job.evaluation, window_index,
                    scores.common().model_id(), scores.common().baseline(),
                    scores.common().trigger(), kept.in_use(),
                    std::bit_cast<int64_t>(kept.key_limit()), pqxx::binarystring(kept.columns()));
}

void OutcomesTable::InsertImportances(const JobKey& job, int64_t window_index,
                                      const v1::ColumnImportances& importances) {
  const std::string bytes = importances.SerializeAsString();
  if (bytes.empty()) return;
  work_.exec_params(kUpdateImportances, job.run.value, job.evaluation, window_index,
                    pqxx::binarystring(bytes));
}

std::vector<v1::ColumnImportances> OutcomesTable::Importances(RunId run) {
  std::vector<v1::ColumnImportances> all;
  for (const pqxx::row& row : work_.exec_params(kSelectImportances, run.value)) {
    v1::ColumnImportances& read = all.emplace_back();
    read.ParseFromString(pqxx::binarystring(row["importances"]).str());
    read.set_evaluation(row["evaluation"].as<int32_t>());
    read.set_dataset_name(row["dataset_name"].as<std::string>());
  }
  return all;
}

OutcomesVersion OutcomesTable::VersionOf(RunId run) {
  const pqxx::row row = work_.exec_params1(kSelectVersion, run.value);
  return {.num_rows = row["num_rows"].as<int64_t>(),
          .num_bytes = row["num_bytes"].as<int64_t>(),
          .num_jobs = row["num_jobs"].as<int64_t>()};
}

absl::StatusOr<std::vector<OutcomesRow>> OutcomesTable::List(RunId run) {
  std::vector<OutcomesRow> rows;
  for (const pqxx::row& row : work_.exec_params(kSelectOutcomes, run.value)) {
    ASSIGN_OR_RETURN(OutcomesRow read, ToRow(row));
    rows.push_back(std::move(read));
  }
  return rows;
}

std::vector<EvaluationRequest> OutcomesTable::Requests(RunId run) {
  std::vector<EvaluationRequest> requests;
  for (const pqxx::row& row : work_.exec_params(kSelectRequests, run.value)) {
    EvaluationRequest& read = requests.emplace_back();
    read.evaluation = row["evaluation"].as<int32_t>();
    read.request.ParseFromString(pqxx::binarystring(row["request"]).str());
    read.request.clear_windows();
    read.request.clear_model_ids();
  }
  return requests;
}

}  // namespace tidemill::evaluator

#include "evaluator/evaluations_table.h"

#include <map>

#include "fmt/format.h"

namespace tidemill::evaluator {
namespace {

constexpr char kSelectJob[] = R"(
  SELECT state, error, seconds, num_windows,
    (SELECT count(*) FROM evaluator.windows AS w
     WHERE w.run_id = j.run_id AND w.evaluation = j.evaluation) AS windows_done,
    (SELECT coalesce(sum(num_prepared_here), 0)::bigint FROM evaluator.windows AS w
     WHERE w.run_id = j.run_id AND w.evaluation = j.evaluation) AS num_prepared_here,
    (SELECT coalesce(sum(num_prepared_at_workers), 0)::bigint FROM evaluator.windows AS w
     WHERE w.run_id = j.run_id AND w.evaluation = j.evaluation) AS num_prepared_at_workers,
    (SELECT coalesce(sum(num_found), 0)::bigint FROM evaluator.windows AS w
     WHERE w.run_id = j.run_id AND w.evaluation = j.evaluation) AS num_found,
    (SELECT coalesce(sum(samples), 0)
     FROM (SELECT max(num_known) AS samples FROM evaluator.evaluations AS e
           WHERE e.run_id = j.run_id AND e.evaluation = j.evaluation
           GROUP BY window_index) AS s)::bigint AS samples_done
  FROM evaluator.jobs AS j
  WHERE run_id = $1 AND evaluation = $2
  FOR UPDATE)";

constexpr char kInsertJob[] = R"(
  INSERT INTO evaluator.jobs (run_id, evaluation, dataset_name, request, num_windows, state)
  VALUES ($1, $2, $3, $4, $5, 'unfinished'))";

constexpr char kDeleteFailedWindows[] = R"(
  DELETE FROM evaluator.windows AS w
  USING evaluator.evaluations AS e
  WHERE w.run_id = $1 AND w.evaluation = $2 AND e.run_id = w.run_id
    AND e.evaluation = w.evaluation AND e.window_index = w.window_index AND e.failure <> '')";

constexpr char kUpdateState[] = R"(
  UPDATE evaluator.jobs SET state = $3, error = $4 WHERE run_id = $1 AND evaluation = $2)";

constexpr char kAddSeconds[] = R"(
  UPDATE evaluator.jobs SET seconds = seconds + $3 WHERE run_id = $1 AND evaluation = $2)";

constexpr char kSelectUsage[] = R"(
  SELECT usage FROM evaluator.jobs WHERE run_id = $1 AND evaluation = $2)";

constexpr char kUpdateUsage[] = R"(
  UPDATE evaluator.jobs SET usage = $3 WHERE run_id = $1 AND evaluation = $2)";

constexpr char kSelectRequest[] = R"(
  SELECT request FROM evaluator.jobs WHERE run_id = $1 AND evaluation = $2)";

constexpr char kSelectWindows[] = R"(
  SELECT window_index FROM evaluator.windows
  WHERE run_id = $1 AND evaluation = $2 ORDER BY window_index)";

constexpr char kInsertWindow[] = R"(
  INSERT INTO evaluator.windows
    (run_id, evaluation, window_index, from_time, from_key, to_time, to_key, num_prepared_here,
     num_prepared_at_workers, num_found)
  VALUES ($1, $2, $3,
          timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5,
          timestamptz 'epoch' + $6::bigint * interval '1 microsecond', $7, $8, $9, $10)
  ON CONFLICT DO NOTHING)";

constexpr char kInsertEvaluation[] = R"(
  INSERT INTO evaluator.evaluations
    (run_id, evaluation, model_id, window_index, position, measure, trigger, value, num_samples,
     num_bad, failure, slice, low, high, detail, sums, baseline, num_unlabelled, fault,
     traceback, num_known, num_deleted, num_filtered, figures)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
          $20, $21, $22, $23, $24))";

constexpr char kSelectFailures[] = R"(
  SELECT model_id, failure, min(window_index) AS window_index,
         count(DISTINCT window_index) AS num_windows
  FROM evaluator.evaluations
  WHERE run_id = $1 AND evaluation = $2 AND failure <> '' AND baseline = ''
  GROUP BY model_id, failure ORDER BY model_id, min(window_index))";

constexpr char kSelectSomeMeasured[] = R"(
  SELECT EXISTS (SELECT 1 FROM evaluator.evaluations
                 WHERE run_id = $1 AND evaluation = $2 AND failure = '' AND baseline = ''))";

constexpr char kSelectFaults[] = R"(
  SELECT measure, fault, count(*) AS num_values,
         (array_agg(traceback ORDER BY window_index, model_id, baseline))[1] AS traceback
  FROM evaluator.evaluations
  WHERE run_id = $1 AND evaluation = $2 AND fault <> ''
  GROUP BY measure, fault ORDER BY count(*) DESC, measure, fault LIMIT 20)";

constexpr char kSelectEvaluations[] = R"(
  SELECT e.evaluation, e.model_id, e.trigger, j.dataset_name, e.window_index, e.measure, e.value,
         e.num_samples, e.num_bad, e.failure, e.slice, e.low, e.high, e.detail, e.sums,
         e.baseline, e.num_unlabelled, e.fault, e.num_known, e.num_deleted, e.num_filtered,
         e.figures, (extract(epoch FROM w.from_time) * 1000000)::bigint AS from_micros, w.from_key,
         (extract(epoch FROM w.to_time) * 1000000)::bigint AS to_micros, w.to_key
  FROM evaluator.evaluations AS e
  JOIN evaluator.windows AS w USING (run_id, evaluation, window_index)
  JOIN evaluator.jobs AS j USING (run_id, evaluation)
  WHERE e.run_id = $1
  ORDER BY e.evaluation, e.model_id, e.window_index, e.position, e.slice, e.baseline)";

constexpr char kDeleteRun[] = R"(DELETE FROM evaluator.jobs WHERE run_id = $1)";

const char* NameOf(JobState state) {
  switch (state) {
    case JobState::kUnfinished:
      return "unfinished";
    case JobState::kDone:
      return "done";
    case JobState::kFailed:
      return "failed";
  }
  return "";
}

JobState StateNamed(const std::string& name) {
  if (name == "done") return JobState::kDone;
  return name == "failed" ? JobState::kFailed : JobState::kUnfinished;
}

// Fields of these numbers have no column of their own.
constexpr int kFirstFigure = 20;
constexpr int kLastFigure = 79;

v1::Evaluation WithoutColumns(const v1::Evaluation& row) {
  v1::Evaluation figures = row;
  const google::protobuf::Descriptor& fields = *v1::Evaluation::descriptor();
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *fields.field(i);
    const bool is_figure = field.number() >= kFirstFigure && field.number() <= kLastFigure;
    if (!is_figure) v1::Evaluation::GetReflection()->ClearField(&figures, &field);
  }
  return figures;
}

// A row of a version before 0.8 has no figures.
v1::Evaluation ToEvaluation(const pqxx::row& row) {
  v1::Evaluation evaluation;
  if (!row["figures"].is_null()) {
    evaluation.ParseFromString(pqxx::binarystring(row["figures"]).str());
  }
  evaluation.set_evaluation(row["evaluation"].as<int32_t>());
  evaluation.set_model_id(row["model_id"].as<int64_t>());
  evaluation.set_trigger(row["trigger"].as<int64_t>());
  evaluation.set_dataset_name(row["dataset_name"].as<std::string>());
  evaluation.set_window_index(row["window_index"].as<int64_t>());
  evaluation.set_measure(row["measure"].as<std::string>());
  if (!row["value"].is_null()) evaluation.set_value(row["value"].as<double>());
  evaluation.set_num_samples(row["num_samples"].as<int64_t>());
  evaluation.set_num_bad(row["num_bad"].as<int64_t>());
  evaluation.set_num_unlabelled(row["num_unlabelled"].as<int64_t>());
  if (!row["num_known"].is_null()) evaluation.set_num_known(row["num_known"].as<int64_t>());
  evaluation.set_num_deleted(row["num_deleted"].as<int64_t>());
  evaluation.set_num_filtered(row["num_filtered"].as<int64_t>());
  evaluation.set_failure(row["failure"].as<std::string>());
  if (evaluation.failure().empty()) evaluation.set_failure(row["fault"].as<std::string>());
  evaluation.set_slice(row["slice"].as<std::string>());
  if (!row["low"].is_null()) evaluation.set_low(row["low"].as<double>());
  if (!row["high"].is_null()) evaluation.set_high(row["high"].as<double>());
  evaluation.set_detail(row["detail"].as<std::string>());
  evaluation.set_sums(row["sums"].as<std::string>());
  evaluation.set_baseline(row["baseline"].as<std::string>());
  if (!row["from_key"].is_null()) {
    evaluation.mutable_from()->set_event_time(row["from_micros"].as<int64_t>());
    evaluation.mutable_from()->set_sample_key(row["from_key"].as<int64_t>());
  }
  if (!row["to_key"].is_null()) {
    evaluation.mutable_to()->set_event_time(row["to_micros"].as<int64_t>());
    evaluation.mutable_to()->set_sample_key(row["to_key"].as<int64_t>());
  }
  return evaluation;
}

}  // namespace

std::optional<JobRow> EvaluationsTable::FindJob(const JobKey& job) {
  const pqxx::result rows = work_.exec_params(kSelectJob, job.run.value, job.evaluation);
  if (rows.empty()) return std::nullopt;
  const pqxx::row row = rows[0];
  const JobState state = StateNamed(row["state"].as<std::string>());
  const bool has_ended = state != JobState::kUnfinished;
  return JobRow{.state = state,
                .error = row["error"].as<std::string>(),
                .seconds = row["seconds"].as<double>(),
                .windows_total = row["num_windows"].as<int64_t>(),
                .windows_done = row["windows_done"].as<int64_t>(),
                .samples_done = row["samples_done"].as<int64_t>(),
                .num_prepared_here = row["num_prepared_here"].as<int64_t>(),
                .num_prepared_at_workers = row["num_prepared_at_workers"].as<int64_t>(),
                .num_found = row["num_found"].as<int64_t>(),
                .usage = FindUsage(job),
                .faults = has_ended ? FindFaults(job) : std::vector<rpc::v1::MeasureFault>()};
}

void EvaluationsTable::InsertJob(const JobKey& job, const v1::StartEvaluationRequest& request) {
  const std::string bytes = request.SerializeAsString();
  work_.exec_params(kInsertJob, job.run.value, job.evaluation, request.dataset_name(),
                    pqxx::binarystring(bytes), request.windows_size());
}

void EvaluationsTable::Reopen(const JobKey& job) {
  work_.exec_params(kDeleteFailedWindows, job.run.value, job.evaluation);
  Finish(job, JobState::kUnfinished, "");
}

void EvaluationsTable::Finish(const JobKey& job, JobState state, const std::string& error) {
  work_.exec_params(kUpdateState, job.run.value, job.evaluation, NameOf(state), error);
}

void EvaluationsTable::AddSeconds(const JobKey& job, double seconds) {
  work_.exec_params(kAddSeconds, job.run.value, job.evaluation, seconds);
}

rpc::v1::Usage EvaluationsTable::FindUsage(const JobKey& job) {
  rpc::v1::Usage usage;
  const pqxx::result rows = work_.exec_params(kSelectUsage, job.run.value, job.evaluation);
  if (!rows.empty()) usage.ParseFromString(pqxx::binarystring(rows[0][0]).str());
  return usage;
}

void EvaluationsTable::SetUsage(const JobKey& job, const rpc::v1::Usage& usage) {
  const std::string bytes = usage.SerializeAsString();
  work_.exec_params(kUpdateUsage, job.run.value, job.evaluation, pqxx::binarystring(bytes));
}

std::optional<v1::StartEvaluationRequest> EvaluationsTable::Request(const JobKey& job) {
  const pqxx::result rows = work_.exec_params(kSelectRequest, job.run.value, job.evaluation);
  if (rows.empty()) return std::nullopt;
  v1::StartEvaluationRequest request;
  if (!request.ParseFromString(pqxx::binarystring(rows[0][0]).str())) return std::nullopt;
  return request;
}

std::vector<int64_t> EvaluationsTable::MeasuredWindows(const JobKey& job) {
  std::vector<int64_t> windows;
  for (const pqxx::row& row : work_.exec_params(kSelectWindows, job.run.value, job.evaluation)) {
    windows.push_back(row[0].as<int64_t>());
  }
  return windows;
}

bool EvaluationsTable::InsertWindow(const JobKey& job, const v1::JobWindow& window,
                                    const v1::WindowEnd& end,
                                    std::span<const v1::ModelScores> scores) {
  using Bound = std::optional<int64_t>;
  const v1::Window& bounds = window.window();
  const pqxx::result inserted =
      work_.exec_params(kInsertWindow, job.run.value, job.evaluation, window.window_index(),
                        bounds.has_from() ? Bound(bounds.from().event_time()) : std::nullopt,
                        bounds.has_from() ? Bound(bounds.from().sample_key()) : std::nullopt,
                        bounds.has_to() ? Bound(bounds.to().event_time()) : std::nullopt,
                        bounds.has_to() ? Bound(bounds.to().sample_key()) : std::nullopt,
                        end.num_prepared_here(), end.num_prepared_at_workers(), end.num_found());
  if (inserted.affected_rows() == 0) return false;
  for (const v1::ModelScores& model : scores) InsertScores(job, model);
  return true;
}

void EvaluationsTable::InsertScores(const JobKey& job, const v1::ModelScores& model) {
  std::map<std::string, int> positions;  // Scores of all samples come first.
  for (const v1::Evaluation& score : model.scores()) {
    v1::Evaluation row = model.common();
    row.MergeFrom(score);
    const int position =
        positions.try_emplace(row.measure(), static_cast<int>(positions.size())).first->second;
    const std::string figures = WithoutColumns(row).SerializeAsString();
    work_.exec_params(kInsertEvaluation, job.run.value, job.evaluation, row.model_id(),
                      row.window_index(), position, row.measure(), row.trigger(),
                      row.has_value() ? std::optional(row.value()) : std::nullopt,
                      row.num_samples(), row.num_bad(), row.failure(), row.slice(),
                      row.has_low() ? std::optional(row.low()) : std::nullopt,
                      row.has_high() ? std::optional(row.high()) : std::nullopt, row.detail(),
                      row.sums(), row.baseline(), row.num_unlabelled(), row.fault(),
                      row.traceback(),
                      row.has_num_known() ? std::optional(row.num_known()) : std::nullopt,
                      row.num_deleted(), row.num_filtered(), pqxx::binarystring(figures));
  }
}

LostWindows EvaluationsTable::FindLostWindows(const JobKey& job) {
  LostWindows lost;
  for (const pqxx::row& row : work_.exec_params(kSelectFailures, job.run.value, job.evaluation)) {
    const auto num_windows = row["num_windows"].as<int64_t>();
    lost.reasons.push_back(
        fmt::format("model {}, {}: {}", row["model_id"].as<int64_t>(),
                    num_windows == 1 ? fmt::format("window {}", row["window_index"].as<int64_t>())
                                     : fmt::format("{} windows", num_windows),
                    row["failure"].as<std::string>()));
  }
  lost.some_measured =
      work_.exec_params(kSelectSomeMeasured, job.run.value, job.evaluation)[0][0].as<bool>();
  return lost;
}

std::vector<rpc::v1::MeasureFault> EvaluationsTable::FindFaults(const JobKey& job) {
  std::vector<rpc::v1::MeasureFault> faults;
  for (const pqxx::row& row : work_.exec_params(kSelectFaults, job.run.value, job.evaluation)) {
    rpc::v1::MeasureFault& fault = faults.emplace_back();
    fault.set_measure(row["measure"].as<std::string>());
    fault.set_what(row["fault"].as<std::string>());
    fault.set_traceback(row["traceback"].as<std::string>());
    fault.set_num_values(row["num_values"].as<int64_t>());
  }
  return faults;
}

std::vector<v1::Evaluation> EvaluationsTable::List(RunId run) {
  std::vector<v1::Evaluation> evaluations;
  for (const pqxx::row& row : work_.exec_params(kSelectEvaluations, run.value)) {
    evaluations.push_back(ToEvaluation(row));
  }
  return evaluations;
}

int64_t EvaluationsTable::DeleteRun(RunId run) {
  return static_cast<int64_t>(work_.exec_params(kDeleteRun, run.value).affected_rows());
}

}  // namespace tidemill::evaluator

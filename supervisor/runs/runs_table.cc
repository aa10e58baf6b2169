#include "supervisor/runs/runs_table.h"

#include <utility>

#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/time_util.h"

#include "supervisor/runs/event_text.h"
#include "supervisor/runs/old_events.h"
#include "supervisor/runs/run_summary.h"

namespace tidemill::supervisor {
namespace {

namespace json_util = google::protobuf::util;

constexpr char kSavePipeline[] = R"(
  INSERT INTO supervisor.pipelines (namespace, name, description, spec)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (namespace, name) DO UPDATE SET description = $3, spec = $4
  RETURNING pipeline_id)";

constexpr char kSelectPipelines[] = R"(
  SELECT pipeline_id, namespace, name, description, spec,
         (extract(epoch FROM created_at) * 1000000)::bigint,
         (SELECT count(*) FROM supervisor.runs r WHERE r.pipeline_id = p.pipeline_id),
         (SELECT max(run_id) FROM supervisor.runs r WHERE r.pipeline_id = p.pipeline_id)
  FROM supervisor.pipelines p
  WHERE namespace = $1 AND ($2 = '' OR name = $2)
  ORDER BY name)";

constexpr char kDeletePipeline[] =
    "DELETE FROM supervisor.pipelines WHERE namespace = $1 AND name = $2";

// A digest elsewhere in a spec keeps a file for nothing, which does no harm.
constexpr char kSelectNamedFiles[] = R"(
  SELECT DISTINCT (regexp_matches(spec, 'sha256:([0-9a-f]{64})', 'g'))[1]
  FROM (SELECT spec FROM supervisor.pipelines UNION ALL SELECT spec FROM supervisor.runs) specs)";

// Numbers follow each other: the row is locked until the transaction ends.
constexpr char kInsertRun[] = R"(
  WITH next AS (UPDATE supervisor.last_run SET run_id = run_id + 1 RETURNING run_id)
  INSERT INTO supervisor.runs (run_id, pipeline_id, spec, pipeline_text, is_trial, state)
  OVERRIDING SYSTEM VALUE
  SELECT run_id, $1::bigint, $2::text, $3::text, $4::boolean, 'RUN_STATE_RUNNING' FROM next
  RETURNING run_id)";

// $1 run or 0 for all, $2 namespace or '' for all, $3 pipeline or '' for all.
constexpr char kFromRuns[] = R"(
  FROM supervisor.run_summaries s JOIN supervisor.runs r USING (run_id)
  WHERE ($1::bigint = 0 OR run_id = $1::bigint) AND ($2 = '' OR s.namespace = $2)
    AND ($3 = '' OR s.pipeline_name = $3)
  ORDER BY run_id DESC)";

constexpr char kPutIntoSweep[] = R"(
  UPDATE supervisor.runs SET sweep = $2, sweep_setting = $3, sweep_rung = $4 WHERE run_id = $1)";

constexpr char kSelectInSweep[] = R"(
  SELECT run_id FROM supervisor.run_summaries
  WHERE namespace = $1 AND pipeline_name = $2 AND sweep = $3 AND sweep_setting = $4
    AND sweep_rung = $5)";

constexpr char kLockRun[] = "SELECT 1 FROM supervisor.runs WHERE run_id = $1 FOR UPDATE";

constexpr char kSelectUnfinished[] =
    "SELECT run_id FROM supervisor.runs WHERE state = 'RUN_STATE_RUNNING' ORDER BY run_id";

constexpr char kDeleteRun[] = "DELETE FROM supervisor.runs WHERE run_id = $1";

constexpr char kPromote[] = "UPDATE supervisor.runs SET is_trial = false WHERE run_id = $1";

constexpr char kTakeOver[] = R"(
  UPDATE supervisor.runs SET run_epoch = run_epoch + 1 WHERE run_id = $1 RETURNING run_epoch)";

constexpr char kHoldEpoch[] =
    "SELECT 1 FROM supervisor.runs WHERE run_id = $1 AND run_epoch = $2 FOR SHARE";

constexpr char kUpdateRun[] = R"(
  UPDATE supervisor.runs
  SET state = $3, error = $4, num_triggers = $5, num_samples = $6,
      finished_at = CASE WHEN $3 = 'RUN_STATE_RUNNING' THEN NULL ELSE now() END
  WHERE run_id = $1 AND run_epoch = $2)";

constexpr char kInsertEvent[] = R"(
  INSERT INTO supervisor.run_events (run_id, seq, type, payload)
  VALUES ($1, $2, $3, $4::jsonb)
  ON CONFLICT (run_id, seq) DO NOTHING)";

constexpr char kSelectEvent[] = R"(
  SELECT type, (extract(epoch FROM at) * 1000000)::bigint
  FROM supervisor.run_events WHERE run_id = $1 AND seq = $2)";

constexpr char kSelectEvents[] = R"(
  SELECT seq, (extract(epoch FROM at) * 1000000)::bigint, payload
  FROM supervisor.run_events WHERE run_id = $1 ORDER BY seq)";

// Payloads leave out what is zero.
constexpr char kSelectTrainings[] = R"(
  SELECT samples, seconds
  FROM (SELECT t.at, t.run_id, t.seq,
               coalesce((s.payload->'training_set_sealed'->>'num_samples')::bigint, 0) AS samples,
               coalesce((t.payload->'model_trained'->>'seconds')::double precision, 0) AS seconds
        FROM supervisor.pipelines p
        JOIN supervisor.runs r USING (pipeline_id)
        JOIN supervisor.run_events t ON t.run_id = r.run_id AND t.type = 'model_trained'
        JOIN supervisor.run_events s ON s.run_id = r.run_id AND s.type = 'training_set_sealed'
         AND s.payload->'training_set_sealed'->>'trigger' = t.payload->'model_trained'->>'trigger'
        WHERE p.namespace = $1 AND p.name = $2
        ORDER BY t.at DESC, t.run_id DESC, t.seq DESC LIMIT $3) AS last
  ORDER BY at, run_id, seq)";

google::protobuf::Timestamp TimeOf(const pqxx::field& micros) {
  return json_util::TimeUtil::MicrosecondsToTimestamp(micros.as<int64_t>());
}

RunRow RunOf(const pqxx::row& row) {
  return {.run_id = {row["run_id"].as<int64_t>()},
          .pipeline_id = {row["pipeline_id"].as<int64_t>()},
          .run_epoch = row["run_epoch"].as<int64_t>(),
          .spec = row["spec"].as<std::string>(),
          .pipeline_text = row["pipeline_text"].as<std::string>(),
          .summary = SummaryOf(row)};
}

pqxx::result SelectRuns(pqxx::work& work, int64_t run, const PipelineName& name) {
  static const std::string statement = std::string("SELECT ") + kSummaryColumns +
                                       ", r.run_epoch, r.pipeline_id, r.spec, r.pipeline_text" +
                                       kFromRuns;
  return work.exec_params(statement, run, name.name_space, name.name);
}

std::vector<v1::Pipeline> SelectPipelines(pqxx::work& work, const PipelineName& name) {
  std::vector<v1::Pipeline> pipelines;
  std::vector<std::optional<RunId>> last_runs;
  for (const pqxx::row& row : work.exec_params(kSelectPipelines, name.name_space, name.name)) {
    v1::Pipeline& pipeline = pipelines.emplace_back();
    pipeline.set_pipeline_id(row[0].as<int64_t>());
    pipeline.set_namespace_(row[1].as<std::string>());
    pipeline.set_name(row[2].as<std::string>());
    pipeline.set_description(row[3].as<std::string>());
    pipeline.set_spec(row[4].as<std::string>());
    *pipeline.mutable_created_at() = TimeOf(row[5]);
    pipeline.set_num_runs(row[6].as<int64_t>());
    last_runs.push_back(row[7].is_null() ? std::nullopt
                                         : std::optional<RunId>(RunId{row[7].as<int64_t>()}));
  }
  for (size_t i = 0; i < pipelines.size(); ++i) {
    if (!last_runs[i]) continue;
    if (auto run = FindRun(work, *last_runs[i])) *pipelines[i].mutable_last_run() = run->summary;
  }
  return pipelines;
}

v1::WatchRunResponse::Event Shown(int64_t sequence, const pqxx::field& at,
                                  const v1::RunEvent& event) {
  v1::WatchRunResponse::Event shown;
  shown.set_sequence(sequence);
  *shown.mutable_at() = TimeOf(at);
  shown.set_type(TypeOf(event));
  shown.set_trigger(TriggerNumberOf(event));
  shown.set_text(TextOf(event));
  return shown;
}

}  // namespace

PipelineId SavePipeline(pqxx::work& work, const PipelineName& name, const std::string& description,
                        const std::string& spec) {
  return {work.exec_params1(kSavePipeline, name.name_space, name.name, description, spec)[0]
              .as<int64_t>()};
}

std::optional<v1::Pipeline> FindPipeline(pqxx::work& work, const PipelineName& name) {
  if (name.name.empty()) return std::nullopt;  // Which selects all of them.
  std::vector<v1::Pipeline> found = SelectPipelines(work, name);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<v1::Pipeline> ListPipelines(pqxx::work& work, const std::string& name_space) {
  return SelectPipelines(work, {.name_space = name_space, .name = ""});
}

std::vector<std::string> ListNamedFiles(pqxx::work& work) {
  std::vector<std::string> digests;
  for (const pqxx::row& row : work.exec(kSelectNamedFiles)) {
    digests.push_back(row[0].as<std::string>());
  }
  return digests;
}

void DeletePipeline(pqxx::work& work, const PipelineName& name) {
  work.exec_params0(kDeletePipeline, name.name_space, name.name);
}

RunId InsertRun(pqxx::work& work, PipelineId pipeline, const std::string& spec,
                const std::string& pipeline_text, bool is_trial) {
  return {work.exec_params1(kInsertRun, pipeline.value, spec, pipeline_text, is_trial)[0]
              .as<int64_t>()};
}

void PutIntoSweep(pqxx::work& work, RunId run, const v1::InSweep& place) {
  work.exec_params0(kPutIntoSweep, run.value, place.sweep(), place.setting(), place.rung());
}

std::optional<RunRow> FindInSweep(pqxx::work& work, const PipelineName& name,
                                  const v1::InSweep& place) {
  const pqxx::result rows = work.exec_params(kSelectInSweep, name.name_space, name.name,
                                             place.sweep(), place.setting(), place.rung());
  if (rows.empty()) return std::nullopt;
  return FindRun(work, {rows[0][0].as<int64_t>()});
}

void Promote(pqxx::work& work, RunId run) { work.exec_params0(kPromote, run.value); }

std::optional<RunRow> FindRun(pqxx::work& work, RunId run) {
  if (run.value <= 0) return std::nullopt;  // Which selects all of them.
  const pqxx::result rows = SelectRuns(work, run.value, {});
  if (rows.empty()) return std::nullopt;
  return RunOf(rows[0]);
}

std::optional<RunRow> LockRun(pqxx::work& work, RunId run) {
  work.exec_params(kLockRun, run.value);
  return FindRun(work, run);
}

std::vector<RunRow> ListRuns(pqxx::work& work, const PipelineName& name) {
  std::vector<RunRow> runs;
  for (const pqxx::row& row : SelectRuns(work, 0, name)) {
    runs.push_back(RunOf(row));
  }
  return runs;
}

std::vector<RunId> UnfinishedRuns(pqxx::work& work) {
  std::vector<RunId> runs;
  for (const pqxx::row& row : work.exec(kSelectUnfinished)) runs.push_back({row[0].as<int64_t>()});
  return runs;
}

void DeleteRun(pqxx::work& work, RunId run) { work.exec_params0(kDeleteRun, run.value); }

absl::StatusOr<int64_t> TakeOver(pqxx::work& work, RunId run) {
  const pqxx::result rows = work.exec_params(kTakeOver, run.value);
  if (rows.empty()) return NotFound("run {} is unknown", run.value);
  return rows[0][0].as<int64_t>();
}

absl::Status HoldEpoch(pqxx::work& work, RunId run, int64_t run_epoch) {
  if (!work.exec_params(kHoldEpoch, run.value, run_epoch).empty()) return absl::OkStatus();
  return FailedPrecondition("run {} is no longer in epoch {}", run.value, run_epoch);
}

absl::StatusOr<EventRow> AppendEvent(pqxx::work& work, const EventPlace& place,
                                     const v1::RunEvent& event, const RunState& after) {
  const pqxx::result updated = work.exec_params(
      kUpdateRun, place.run.value, place.run_epoch, v1::RunState_Name(after.state()), after.error(),
      static_cast<int64_t>(after.triggers().size()), after.num_samples());
  if (updated.affected_rows() == 0) {
    return FailedPrecondition("run {} is no longer in epoch {}", place.run.value, place.run_epoch);
  }
  std::string payload;
  json_util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  if (!json_util::MessageToJsonString(event, &payload, options).ok()) {
    return Internal("cannot print an event of run {}", place.run.value);
  }
  work.exec_params0(kInsertEvent, place.run.value, place.sequence, TypeOf(event), payload);
  const pqxx::row row = work.exec_params1(kSelectEvent, place.run.value, place.sequence);
  if (row[0].as<std::string>() != TypeOf(event)) {
    return FailedPrecondition("event {} of run {} already is a {}", place.sequence, place.run.value,
                              row[0].as<std::string>());
  }
  return EventRow{.shown = Shown(place.sequence, row[1], event), .event = event};
}

std::vector<TrainingCost> CompletedTrainings(pqxx::work& work, const PipelineName& name,
                                             int64_t most) {
  std::vector<TrainingCost> costs;
  for (const pqxx::row& row :
       work.exec_params(kSelectTrainings, name.name_space, name.name, most)) {
    costs.push_back({.num_samples = row[0].as<int64_t>(), .seconds = row[1].as<double>()});
  }
  return costs;
}

absl::StatusOr<std::vector<EventRow>> ReadEvents(pqxx::work& work, RunId run) {
  std::vector<EventRow> events;
  for (const pqxx::row& row : work.exec_params(kSelectEvents, run.value)) {
    v1::RunEvent event;
    if (!json_util::JsonStringToMessage(row[2].as<std::string>(), &event).ok()) {
      return DataLoss("event {} of run {} does not parse", row[0].as<int64_t>(), run.value);
    }
    UpgradeEvent(event);
    events.push_back({.shown = Shown(row[0].as<int64_t>(), row[1], event), .event = event});
  }
  return events;
}

}  // namespace tidemill::supervisor

#include "supervisor/model_use/model_changes_table.h"

#include <limits>
#include <string_view>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/time_util.h"

namespace tidemill::supervisor {
namespace {

namespace json_util = google::protobuf::util;

constexpr std::string_view kKindPrefix = "MODEL_CHANGE_KIND_";

// A transaction that inserts a run may read the row meanwhile.
constexpr char kLock[] =
    "SELECT 1 FROM supervisor.pipelines WHERE pipeline_id = $1 FOR NO KEY UPDATE";

constexpr char kSelectPipeline[] =
    "SELECT pipeline_id FROM supervisor.pipelines WHERE namespace = $1 AND name = $2";

// $1 pipeline or 0, $2 run or 0, $3 change or 0, $4 the most rows.
constexpr char kSelectChanges[] = R"(
  SELECT c.change, p.name, (extract(epoch FROM c.at) * 1000000)::bigint AS at_micros, c.model_id,
         c.run_id, c.trigger, c.pinned, c.kind, c.reason, c.figures, c.caused_run,
         c.caused_trigger, c.command, c.other_model_id, c.since, c.before,
         (extract(epoch FROM s.at) * 1000000)::bigint AS since_micros, s.kind AS since_kind,
         s.reason AS since_reason, s.command AS since_command
  FROM supervisor.model_changes c
  JOIN supervisor.pipelines p USING (pipeline_id)
  JOIN supervisor.model_changes s ON s.pipeline_id = c.pipeline_id AND s.change = c.since
  WHERE ($1::bigint = 0 OR c.pipeline_id = $1::bigint)
    AND ($2::bigint = 0 OR c.caused_run = $2::bigint)
    AND ($3::bigint = 0 OR c.change = $3::bigint)
  ORDER BY c.change DESC LIMIT $4)";

constexpr char kCountChanges[] = R"(
  SELECT count(*) FROM supervisor.model_changes
  WHERE ($1::bigint = 0 OR pipeline_id = $1::bigint)
    AND ($2::bigint = 0 OR caused_run = $2::bigint))";

constexpr char kSelectDecided[] =
    "SELECT 1 FROM supervisor.model_changes WHERE caused_run = $1 AND caused_trigger = $2";

constexpr char kInsertChange[] = R"(
  WITH next AS (SELECT coalesce(max(change), 0) + 1 AS change
                FROM supervisor.model_changes WHERE pipeline_id = $1)
  INSERT INTO supervisor.model_changes
    (pipeline_id, change, at, model_id, run_id, trigger, pinned, kind, reason, figures, caused_run,
     caused_trigger, command, other_model_id, since, before)
  SELECT $1::bigint, change, clock_timestamp(), nullif($2::bigint, 0), nullif($3::bigint, 0),
         nullif($4::bigint, 0), $5::boolean, $6::text, $7::text, nullif($8, '')::jsonb,
         nullif($9::bigint, 0), nullif($10::bigint, 0), $11::text, nullif($12::bigint, 0),
         coalesce(nullif($13::bigint, 0), change), nullif($14::bigint, 0)
  FROM next RETURNING change)";

constexpr char kSelectKept[] = R"(
  SELECT pipeline_id, run_id, trigger, model_id, is_trial
  FROM supervisor.kept_models WHERE model_id = $1)";

constexpr char kSelectNewestKept[] = R"(
  SELECT pipeline_id, run_id, trigger, model_id, is_trial
  FROM supervisor.kept_models WHERE run_id = $1 ORDER BY trigger DESC LIMIT 1)";

constexpr char kSelectNewerRun[] = R"(
  SELECT r.run_id FROM supervisor.runs r
  WHERE r.pipeline_id = $1 AND r.run_id > $2 AND NOT r.is_trial
    AND EXISTS (SELECT 1 FROM supervisor.kept_models k WHERE k.run_id = r.run_id)
  ORDER BY r.run_id DESC LIMIT 1)";

constexpr char kRetire[] = R"(
  INSERT INTO supervisor.retirements (run_id, first_model, kept)
  VALUES ($1, $2, $3::bigint[])
  ON CONFLICT (run_id) DO UPDATE
  SET first_model = greatest(retirements.first_model, $2),
      kept = ARRAY(SELECT k FROM unnest($3::bigint[]) AS k
                   WHERE k >= retirements.first_model OR k = ANY (retirements.kept)))";

google::protobuf::Timestamp InstantOf(const pqxx::field& micros) {
  return json_util::TimeUtil::MicrosecondsToTimestamp(micros.as<int64_t>());
}

int64_t NumberOr0(const pqxx::field& field) { return field.is_null() ? 0 : field.as<int64_t>(); }

v1::ModelChangeKind KindOf(const pqxx::field& name) {
  v1::ModelChangeKind kind = v1::MODEL_CHANGE_KIND_UNSPECIFIED;
  v1::ModelChangeKind_Parse(fmt::format("{}{}", kKindPrefix, name.as<std::string>()), &kind);
  return kind;
}

ModelChangeRow RowOf(const pqxx::row& row) {
  ModelChangeRow result;
  v1::ModelChange& change = result.change;
  change.set_number(row["change"].as<int64_t>());
  change.set_pipeline_name(row["name"].as<std::string>());
  *change.mutable_at() = InstantOf(row["at_micros"]);
  change.set_model_id(NumberOr0(row["model_id"]));
  change.set_run_id(NumberOr0(row["run_id"]));
  change.set_trigger(NumberOr0(row["trigger"]));
  change.set_pinned(row["pinned"].as<bool>());
  change.set_kind(KindOf(row["kind"]));
  change.set_text(row["reason"].as<std::string>());
  if (!row["figures"].is_null()) {
    // A record that does not parse was written by a newer version; the sentence says the same.
    json_util::JsonStringToMessage(row["figures"].as<std::string>(), change.mutable_comparison())
        .ok();
  }
  change.set_caused_by_run(NumberOr0(row["caused_run"]));
  change.set_caused_by_trigger(NumberOr0(row["caused_trigger"]));
  change.set_command(row["command"].as<std::string>());
  change.set_other_model_id(NumberOr0(row["other_model_id"]));
  *change.mutable_in_use_since() = InstantOf(row["since_micros"]);
  change.set_since_kind(KindOf(row["since_kind"]));
  change.set_since_text(row["since_reason"].as<std::string>());
  change.set_since_command(row["since_command"].as<std::string>());
  result.since = row["since"].as<int64_t>();
  if (!row["before"].is_null()) result.before = row["before"].as<int64_t>();
  return result;
}

std::optional<KeptModel> KeptOf(const pqxx::result& rows) {
  if (rows.empty()) return std::nullopt;
  const pqxx::row row = rows[0];
  return KeptModel{.pipeline = {row["pipeline_id"].as<int64_t>()},
                   .run = {row["run_id"].as<int64_t>()},
                   .trigger = row["trigger"].as<int64_t>(),
                   .model_id = row["model_id"].as<int64_t>(),
                   .is_trial = row["is_trial"].as<bool>()};
}

std::string FiguresOf(const v1::ModelChange& change) {
  std::string figures;
  if (!change.has_comparison()) return figures;
  json_util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  json_util::MessageToJsonString(change.comparison(), &figures, options).ok();
  return figures;
}

}  // namespace

void LockModelUse(pqxx::work& work, PipelineId pipeline) {
  work.exec_params(kLock, pipeline.value);
}

std::optional<PipelineId> FindPipelineId(pqxx::work& work, const std::string& name_space,
                                         const std::string& name) {
  const pqxx::result rows = work.exec_params(kSelectPipeline, name_space, name);
  if (rows.empty()) return std::nullopt;
  return PipelineId{rows[0][0].as<int64_t>()};
}

std::optional<ModelChangeRow> LastModelChange(pqxx::work& work, PipelineId pipeline) {
  const pqxx::result rows = work.exec_params(kSelectChanges, pipeline.value, 0, 0, 1);
  if (rows.empty()) return std::nullopt;
  return RowOf(rows[0]);
}

std::optional<ModelChangeRow> FindModelChange(pqxx::work& work, PipelineId pipeline,
                                              int64_t number) {
  const pqxx::result rows = work.exec_params(kSelectChanges, pipeline.value, 0, number, 1);
  if (rows.empty()) return std::nullopt;
  return RowOf(rows[0]);
}

bool IsDecided(pqxx::work& work, RunId run, int64_t trigger) {
  return !work.exec_params(kSelectDecided, run.value, trigger).empty();
}

std::vector<v1::ModelChange> ListModelChanges(pqxx::work& work, PipelineId pipeline, RunId run,
                                              int64_t limit) {
  const int64_t most = limit == 0 ? std::numeric_limits<int64_t>::max() : limit;
  std::vector<v1::ModelChange> changes;
  for (const pqxx::row& row :
       work.exec_params(kSelectChanges, pipeline.value, run.value, 0, most)) {
    changes.push_back(RowOf(row).change);
  }
  return changes;
}

int64_t CountModelChanges(pqxx::work& work, PipelineId pipeline, RunId run) {
  return work.exec_params1(kCountChanges, pipeline.value, run.value)[0].as<int64_t>();
}

v1::ModelChange AddModelChange(pqxx::work& work, PipelineId pipeline, const ModelChangeRow& row) {
  const v1::ModelChange& change = row.change;
  const std::string kind = v1::ModelChangeKind_Name(change.kind()).substr(kKindPrefix.size());
  const auto number =
      work.exec_params1(kInsertChange, pipeline.value, change.model_id(), change.run_id(),
                        change.trigger(), change.pinned(), kind, change.text(), FiguresOf(change),
                        change.caused_by_run(), change.caused_by_trigger(), change.command(),
                        change.other_model_id(), row.since, row.before.value_or(0))[0]
          .as<int64_t>();
  return FindModelChange(work, pipeline, number)->change;
}

std::optional<KeptModel> FindKeptModel(pqxx::work& work, int64_t model_id) {
  return KeptOf(work.exec_params(kSelectKept, model_id));
}

std::optional<KeptModel> NewestKeptModel(pqxx::work& work, RunId run) {
  return KeptOf(work.exec_params(kSelectNewestKept, run.value));
}

std::optional<RunId> NewerRunWithModel(pqxx::work& work, PipelineId pipeline, RunId run) {
  const pqxx::result rows = work.exec_params(kSelectNewerRun, pipeline.value, run.value);
  if (rows.empty()) return std::nullopt;
  return RunId{rows[0][0].as<int64_t>()};
}

void RetireModels(pqxx::work& work, RunId run, int64_t first_model,
                  const std::vector<int64_t>& kept) {
  work.exec_params0(kRetire, run.value, first_model, fmt::format("{{{}}}", fmt::join(kept, ",")));
}

}  // namespace tidemill::supervisor

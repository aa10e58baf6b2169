#include "supervisor/decisions/decisions_table.h"

#include <limits>
#include <utility>

#include "fmt/format.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/time_util.h"

#include "supervisor/decisions/decision_record.h"

namespace tidemill::supervisor {
namespace {

namespace json_util = google::protobuf::util;

// $2 is a list of objects with these columns.
constexpr char kInsertDecisions[] = R"(
  INSERT INTO supervisor.decisions
    (run_id, decision, event_time, sample_key, fired, num_samples, trigger, record)
  SELECT $1, decision, event_time, sample_key, fired, num_samples, trigger, record
  FROM jsonb_to_recordset($2::jsonb)
       AS d(decision bigint, event_time bigint, sample_key bigint, fired boolean,
            num_samples bigint, trigger bigint, record jsonb)
  ON CONFLICT (run_id, decision) DO NOTHING)";

constexpr char kSaveState[] = R"(
  INSERT INTO supervisor.policy_states (run_id, decision, state) VALUES ($1, $2, $3)
  ON CONFLICT (run_id) DO UPDATE SET decision = $2, state = $3)";

constexpr char kSelectLast[] = R"(
  SELECT d.decision, d.event_time, d.sample_key, d.fired, coalesce(s.state, '')
  FROM supervisor.decisions d
  LEFT JOIN supervisor.policy_states s ON s.run_id = d.run_id AND s.decision = d.decision
  WHERE d.run_id = $1 ORDER BY d.decision DESC LIMIT 1)";

constexpr char kSelectAll[] = R"(
  SELECT decision, event_time, sample_key, fired, num_samples,
         (extract(epoch FROM at) * 1000000)::bigint, trigger, record
  FROM supervisor.decisions
  WHERE run_id = $1
    AND (fired OR (SELECT count(*) FROM supervisor.decisions c WHERE c.run_id = $1) <= $2)
  ORDER BY decision)";

constexpr char kSelectNumber[] = R"(
  SELECT decision, event_time, sample_key, fired, num_samples,
         (extract(epoch FROM at) * 1000000)::bigint, trigger, record
  FROM supervisor.decisions WHERE run_id = $1 AND decision = $2)";

constexpr char kSelectTrigger[] = R"(
  SELECT decision, event_time, sample_key, fired, num_samples,
         (extract(epoch FROM at) * 1000000)::bigint, trigger, record
  FROM supervisor.decisions WHERE run_id = $1 AND trigger = $2)";

constexpr char kSelectAt[] = R"(
  SELECT decision, event_time, sample_key, fired, num_samples,
         (extract(epoch FROM at) * 1000000)::bigint, trigger, record
  FROM supervisor.decisions WHERE run_id = $1 AND event_time <= $2
  ORDER BY event_time DESC, sample_key DESC LIMIT 1)";

constexpr char kSelectTriggerBefore[] = R"(
  SELECT decision, event_time, sample_key, fired, num_samples,
         (extract(epoch FROM at) * 1000000)::bigint, trigger, record
  FROM supervisor.decisions WHERE run_id = $1 AND trigger IS NOT NULL AND decision < $2
  ORDER BY decision DESC LIMIT 1)";

v1::Decision DecisionOf(const pqxx::row& row) {
  v1::Decision decision;
  // A record that does not parse leaves what the columns say.
  if (!json_util::JsonStringToMessage(row[7].as<std::string>(), &decision).ok()) decision.Clear();
  decision.set_number(row[0].as<int64_t>());
  decision.mutable_at()->set_event_time(row[1].as<int64_t>());
  decision.mutable_at()->set_sample_key(row[2].as<int64_t>());
  decision.set_fired(row[3].as<bool>());
  if (!row[6].is_null()) decision.set_trigger(row[6].as<int64_t>());
  decision.set_num_samples(row[4].as<int64_t>());
  // Rows without an answer were written when only decisions that fired were kept.
  if (!HasAnswer(decision)) decision.set_num_new(decision.num_samples());
  *decision.mutable_decided_at() =
      json_util::TimeUtil::MicrosecondsToTimestamp(row[5].as<int64_t>());
  return decision;
}

std::optional<v1::Decision> FirstOf(const pqxx::result& rows) {
  if (rows.empty()) return std::nullopt;
  return DecisionOf(rows[0]);
}

// The object that kInsertDecisions reads. Fields with a column are left out of the record.
std::string RowOf(const Decision& decision, int64_t number, int64_t trigger) {
  v1::Decision record = ToProto(decision);
  record.clear_at();
  record.clear_fired();
  record.clear_num_samples();
  json_util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  if (!json_util::MessageToJsonString(record, &text, options).ok()) text = "{}";
  return fmt::format(
      R"({{"decision":{},"event_time":{},"sample_key":{},"fired":{},"num_samples":{},)"
      R"("trigger":{},"record":{}}})",
      number, decision.at.event_time.micros, decision.at.sample_key.value, decision.fired,
      decision.num_samples, trigger == 0 ? "null" : std::to_string(trigger), text);
}

}  // namespace

void AddDecisions(pqxx::work& work, RunId run, const DecisionBatch& batch) {
  if (batch.decisions.empty()) return;
  std::string rows;
  int64_t number = batch.first_number;
  const int64_t last = number + static_cast<int64_t>(batch.decisions.size()) - 1;
  for (const Decision& decision : batch.decisions) {
    rows += rows.empty() ? "[" : ",";
    rows += RowOf(decision, number, number == last ? batch.trigger : 0);
    ++number;
  }
  work.exec_params0(kInsertDecisions, run.value, rows + "]");
  work.exec_params0(kSaveState, run.value, last, batch.state);
}

std::optional<LastDecision> FindLastDecision(pqxx::work& work, RunId run) {
  const pqxx::result rows = work.exec_params(kSelectLast, run.value);
  if (rows.empty()) return std::nullopt;
  const pqxx::row row = rows[0];
  return LastDecision{.number = row[0].as<int64_t>(),
                      .at = {{row[1].as<int64_t>()}, {row[2].as<int64_t>()}},
                      .fired = row[3].as<bool>(),
                      .state = row[4].as<std::string>()};
}

std::vector<v1::Decision> ListDecisions(pqxx::work& work, RunId run, int64_t most) {
  std::vector<v1::Decision> decisions;
  for (const pqxx::row& row : work.exec_params(kSelectAll, run.value, most)) {
    decisions.push_back(DecisionOf(row));
  }
  return decisions;
}

std::optional<v1::Decision> FindDecision(pqxx::work& work, RunId run, int64_t number) {
  return FirstOf(work.exec_params(kSelectNumber, run.value, number));
}

std::optional<v1::Decision> FindDecisionOfTrigger(pqxx::work& work, RunId run, int64_t trigger) {
  return FirstOf(work.exec_params(kSelectTrigger, run.value, trigger));
}

std::optional<v1::Decision> FindDecisionAt(pqxx::work& work, RunId run,
                                           std::optional<Timestamp> time) {
  const int64_t micros = time ? time->micros : std::numeric_limits<int64_t>::max();
  return FirstOf(work.exec_params(kSelectAt, run.value, micros));
}

std::optional<v1::Decision> FindTriggerBefore(pqxx::work& work, RunId run, int64_t number) {
  return FirstOf(work.exec_params(kSelectTriggerBefore, run.value, number));
}

}  // namespace tidemill::supervisor

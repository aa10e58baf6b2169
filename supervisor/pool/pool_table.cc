#include "supervisor/pool/pool_table.h"

#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/time_util.h"
#include "nlohmann/json.hpp"

#include "db/sql_array.h"

namespace tidemill::supervisor {
namespace {

using google::protobuf::util::TimeUtil;

// $1 member, $2 incarnation, $3 kind.
constexpr char kContinue[] = R"(
  UPDATE supervisor.members
  SET incarnation = CASE WHEN request_id = $4 AND $4 <> '' AND NOT lost
                         THEN incarnation ELSE incarnation + 1 END,
      request_id = $4, endpoint = $5, offer = $6::jsonb, started_as = $7, draining = false,
      lost = false
  WHERE member_id = $1 AND (incarnation = $2 OR request_id = $4 AND $4 <> '') AND kind = $3
  RETURNING member_id, incarnation, name)";

constexpr char kFindRequest[] = R"(
  SELECT member_id, incarnation, name FROM supervisor.members
  WHERE request_id = $1 AND $1 <> '' AND NOT lost)";

constexpr char kInsertMember[] = R"(
  INSERT INTO supervisor.members (kind, name, incarnation, request_id, endpoint, offer, started_as)
  VALUES ($1, $2, 1, $3, $4, $5::jsonb, $6)
  ON CONFLICT (name) DO NOTHING
  RETURNING member_id, incarnation, name)";

constexpr char kSetDraining[] = "UPDATE supervisor.members SET draining = $2 WHERE member_id = $1";

constexpr char kSetLost[] =
    "UPDATE supervisor.members SET lost = true WHERE member_id = $1 AND incarnation = $2";

constexpr char kForget[] =
    "DELETE FROM supervisor.members WHERE lost AND member_id = ANY ($1::bigint[])";

constexpr char kSelectDeletedRuns[] = R"(
  SELECT asked FROM unnest($1::bigint[]) AS asked
  WHERE NOT EXISTS (SELECT FROM supervisor.runs WHERE run_id = asked) ORDER BY asked)";

constexpr char kSelectMembers[] = R"(
  SELECT member_id, incarnation, kind, name, endpoint, offer, started_as, draining, lost
  FROM supervisor.members ORDER BY member_id)";

constexpr char kInsert[] = R"(
  INSERT INTO supervisor.placements
    (run_id, stage, number, pipeline_id, kind, device, num_slots, labels, priority, share, asked_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11)
  RETURNING placement_id)";

constexpr char kGive[] = R"(
  UPDATE supervisor.placements
  SET member_id = $2, member_name = $3, incarnation = $4, devices = $5, given_at = $6
  WHERE placement_id = $1)";

constexpr char kEnd[] = R"(
  UPDATE supervisor.placements SET ended_at = $2, end_reason = $3
  WHERE placement_id = $1 AND ended_at IS NULL)";

constexpr char kEndOfEndedRuns[] = R"(
  UPDATE supervisor.placements p SET ended_at = $1, end_reason = 'the run has ended'
  FROM supervisor.runs r
  WHERE r.run_id = p.run_id AND p.ended_at IS NULL AND r.state <> 'RUN_STATE_RUNNING')";

constexpr char kSelectOpen[] = R"(
  SELECT placement_id, run_id, stage, number, pipeline_id, kind, device, num_slots, labels,
         priority, share, asked_at, member_id, incarnation, devices, given_at
  FROM supervisor.placements WHERE ended_at IS NULL ORDER BY placement_id)";

constexpr char kSelectOfRun[] = R"(
  SELECT placement_id, stage, number, pipeline_id, priority, share, device, num_slots, asked_at,
         member_name, devices, given_at, ended_at, end_reason
  FROM (SELECT * FROM supervisor.placements WHERE run_id = $1
        ORDER BY placement_id DESC LIMIT $2) AS latest
  ORDER BY placement_id)";

constexpr char kSetUsed[] = R"(
  INSERT INTO supervisor.used_shares (pipeline_id, seconds)
  SELECT pipeline_id, $2 FROM supervisor.pipelines WHERE pipeline_id = $1
  ON CONFLICT (pipeline_id) DO UPDATE SET seconds = excluded.seconds)";

constexpr char kSelectUsed[] = "SELECT pipeline_id, seconds FROM supervisor.used_shares";

std::string JsonOf(const google::protobuf::Message& message) {
  std::string text;
  static_cast<void>(google::protobuf::util::MessageToJsonString(message, &text));
  return text;
}

v1::MemberOffer OfferOf(const std::string& text) {
  v1::MemberOffer offer;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  static_cast<void>(google::protobuf::util::JsonStringToMessage(text, &offer, options));
  return offer;
}

Placement PlacementOf(const pqxx::row& row) {
  Placement placement{.id = row["placement_id"].as<int64_t>(),
                      .request = {.job = {.run = row["run_id"].as<int64_t>(),
                                          .stage = row["stage"].as<std::string>(),
                                          .number = row["number"].as<int64_t>()},
                                  .pipeline = {row["pipeline_id"].as<int64_t>()},
                                  .kind = static_cast<v1::MemberKind>(row["kind"].as<int>()),
                                  .device = row["device"].as<std::string>(),
                                  .num_slots = row["num_slots"].as<int>(),
                                  .priority = row["priority"].as<int>(),
                                  .share = row["share"].as<double>()},
                      .asked_at = {row["asked_at"].as<int64_t>()},
                      .grant = {}};
  placement.request.labels = nlohmann::json::parse(row["labels"].as<std::string>())
                                 .get<std::map<std::string, std::string>>();
  if (row["given_at"].is_null()) return placement;
  placement.grant = Grant{.member = {.member_id = row["member_id"].as<int64_t>(),
                                     .number = row["incarnation"].as<int64_t>()},
                          .devices = absl::StrSplit(row["devices"].as<std::string>(), ','),
                          .given_at = {row["given_at"].as<int64_t>()}};
  return placement;
}

}  // namespace

pqxx::row PoolTable::InsertMember(const v1::RegisterMemberRequest& request,
                                  const std::string& offer) {
  for (int number = 1;; ++number) {
    const std::string name =
        number == 1 ? request.host() : fmt::format("{}-{}", request.host(), number);
    const pqxx::result rows = work_.exec_params(kInsertMember, static_cast<int>(request.kind()),
                                                name, request.command().request_id(),
                                                request.endpoint(), offer, request.started_as());
    if (!rows.empty()) return rows[0];
  }
}

PoolMember PoolTable::Register(const v1::RegisterMemberRequest& request) {
  const std::string offer = JsonOf(request.offer());
  const std::string& id = request.command().request_id();
  pqxx::result rows = work_.exec_params(
      kContinue, request.continues().member_id(), request.continues().incarnation(),
      static_cast<int>(request.kind()), id, request.endpoint(), offer, request.started_as());
  if (rows.empty()) rows = work_.exec_params(kFindRequest, id);
  const pqxx::row row = rows.empty() ? InsertMember(request, offer) : rows[0];
  return {{.incarnation = {.member_id = row[0].as<int64_t>(), .number = row[1].as<int64_t>()},
           .name = row[2].as<std::string>(),
           .endpoint = request.endpoint()},
          request.kind(),
          request.offer(),
          request.started_as()};
}

std::vector<int64_t> PoolTable::DeletedRuns(std::span<const int64_t> runs) {
  db::SqlArray asked;
  for (const int64_t run : runs) asked.Add(run);
  std::vector<int64_t> deleted;
  for (const pqxx::row& row : work_.exec_params(kSelectDeletedRuns, asked.text())) {
    deleted.push_back(row[0].as<int64_t>());
  }
  return deleted;
}

void PoolTable::SetDraining(int64_t member_id, bool draining) {
  work_.exec_params(kSetDraining, member_id, draining);
}

void PoolTable::SetLost(const std::vector<rpc::Incarnation>& lost) {
  for (const rpc::Incarnation& member : lost) {
    work_.exec_params(kSetLost, member.member_id, member.number);
  }
}

void PoolTable::Forget(const std::vector<int64_t>& member_ids) {
  if (member_ids.empty()) return;
  db::SqlArray ids;
  for (const int64_t id : member_ids) ids.Add(id);
  work_.exec_params(kForget, ids.text());
}

std::vector<PoolMember> PoolTable::Members() {
  std::vector<PoolMember> members;
  for (const pqxx::row& row : work_.exec_params(kSelectMembers)) {
    members.push_back({{.incarnation = {.member_id = row["member_id"].as<int64_t>(),
                                        .number = row["incarnation"].as<int64_t>()},
                        .name = row["name"].as<std::string>(),
                        .endpoint = row["endpoint"].as<std::string>(),
                        .draining = row["draining"].as<bool>(),
                        .lost = row["lost"].as<bool>()},
                       static_cast<v1::MemberKind>(row["kind"].as<int>()),
                       OfferOf(row["offer"].as<std::string>()),
                       row["started_as"].as<std::string>()});
  }
  return members;
}

int64_t PoolTable::Insert(const SlotRequest& request, Timestamp asked_at) {
  return work_
      .exec_params(kInsert, request.job.run, request.job.stage, request.job.number,
                   request.pipeline.value, static_cast<int>(request.kind), request.device,
                   request.num_slots, nlohmann::json(request.labels).dump(), request.priority,
                   request.share, asked_at.micros)
      .at(0)[0]
      .as<int64_t>();
}

void PoolTable::Give(const Placement& placement, const std::string& member_name) {
  const Grant& grant = *placement.grant;
  work_.exec_params(kGive, placement.id, grant.member.member_id, member_name, grant.member.number,
                    absl::StrJoin(grant.devices, ","), grant.given_at.micros);
}

void PoolTable::End(int64_t placement_id, Timestamp at, const std::string& reason) {
  work_.exec_params(kEnd, placement_id, at.micros, reason);
}

void PoolTable::EndOfEndedRuns(Timestamp at) { work_.exec_params(kEndOfEndedRuns, at.micros); }

std::vector<Placement> PoolTable::Open() {
  std::vector<Placement> open;
  for (const pqxx::row& row : work_.exec_params(kSelectOpen)) open.push_back(PlacementOf(row));
  return open;
}

std::vector<v1::Placement> PoolTable::OfRun(RunId run, int most) {
  const auto set = [](const pqxx::field& micros, google::protobuf::Timestamp& time) {
    time = TimeUtil::MicrosecondsToTimestamp(micros.as<int64_t>());
  };
  std::vector<v1::Placement> placements;
  for (const pqxx::row& row : work_.exec_params(kSelectOfRun, run.value, most)) {
    v1::Placement& placement = placements.emplace_back();
    placement.set_placement_id(row["placement_id"].as<int64_t>());
    placement.mutable_job()->set_run_id(run.value);
    placement.mutable_job()->set_stage(row["stage"].as<std::string>());
    placement.mutable_job()->set_number(row["number"].as<int64_t>());
    placement.set_pipeline_id(row["pipeline_id"].as<int64_t>());
    placement.set_priority(row["priority"].as<int>());
    placement.set_share(row["share"].as<double>());
    placement.set_device(row["device"].as<std::string>());
    placement.set_num_slots(row["num_slots"].as<int>());
    placement.set_member_name(row["member_name"].as<std::string>());
    placement.set_slots(row["devices"].as<std::string>());
    placement.set_end_reason(row["end_reason"].as<std::string>());
    set(row["asked_at"], *placement.mutable_asked_at());
    if (!row["given_at"].is_null()) set(row["given_at"], *placement.mutable_given_at());
    if (!row["ended_at"].is_null()) set(row["ended_at"], *placement.mutable_ended_at());
  }
  return placements;
}

void PoolTable::SetUsed(PipelineId pipeline, double seconds) {
  work_.exec_params(kSetUsed, pipeline.value, seconds);
}

std::map<int64_t, double> PoolTable::Used() {
  std::map<int64_t, double> used;
  for (const pqxx::row& row : work_.exec_params(kSelectUsed)) {
    used[row[0].as<int64_t>()] = row[1].as<double>();
  }
  return used;
}

}  // namespace tidemill::supervisor

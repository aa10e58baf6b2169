#include "preprocess/dispatcher/jobs_table.h"

#include <map>
#include <utility>

#include "base/check.h"
#include "db/sql_array.h"

namespace tidemill::preprocess {
namespace {

// A job that takes more is read from its row whenever a worker needs it.
constexpr size_t kMostKeptBytes = size_t{64} << 10;

constexpr char kInsertJob[] = R"(
  WITH job AS (
    INSERT INTO preprocess.jobs (name, spec, fitted, split_batches, samples, scope)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (name) DO NOTHING
    RETURNING job_id, created_at),
  inserted_lanes AS (
    INSERT INTO preprocess.lanes
      (job_id, lane, first_batch, end_batch, shard, issued_before, done_before)
    SELECT job_id, number - 1, first_batch, end_batch, shard, first_batch, first_batch
    FROM job, unnest($7::bigint[], $8::bigint[], $9::integer[]) WITH ORDINALITY
      AS lanes (first_batch, end_batch, shard, number))
  SELECT job_id, (extract(epoch FROM created_at) * 1000000)::bigint AS created_micros FROM job)";

constexpr char kFindJob[] = "SELECT job_id FROM preprocess.jobs WHERE name = $1";

constexpr char kCompareJob[] = R"(
  SELECT spec = $2 AS same_spec, fitted = $3 AS same_fitted, samples = $4 AS same_samples,
         split_batches
  FROM preprocess.jobs WHERE job_id = $1)";

constexpr char kSelectJob[] =
    "SELECT name, spec, fitted, samples, scope FROM preprocess.jobs WHERE job_id = $1";

constexpr char kSelectJobs[] = R"(
  SELECT job_id, name, split_batches, scope,
         (extract(epoch FROM created_at) * 1000000)::bigint AS created_micros
  FROM preprocess.jobs
  WHERE $1::bigint IS NULL OR job_id = $1
  ORDER BY job_id)";

constexpr char kSelectLanes[] = R"(
  SELECT lane, first_batch, end_batch, shard, issued_before, done_before, num_reissued,
         coalesce(shard_worker_id, 0) AS shard_worker_id, consumer
  FROM preprocess.lanes WHERE job_id = $1 ORDER BY lane)";

constexpr char kSelectSplits[] = R"(
  SELECT lane, from_batch, to_batch, attempt, coalesce(worker_id, 0) AS worker_id,
         coalesce(incarnation, 0) AS incarnation, request_id
  FROM preprocess.splits WHERE job_id = $1 ORDER BY lane, from_batch)";

constexpr char kDeleteJob[] = "DELETE FROM preprocess.jobs WHERE job_id = $1";

// std::nullopt for a job that a service has made.
std::optional<rpc::v1::JobClaims> ScopeOf(const pqxx::row& row) {
  const pqxx::binarystring bytes(row["scope"]);
  if (bytes.empty()) return std::nullopt;
  rpc::v1::JobClaims scope;
  const bool is_read = scope.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  TIDEMILL_CHECK(is_read);  // Insert() has written it.
  return scope;
}

IssuedSplit ToSplit(const pqxx::row& row) {
  return {.from_batch = row["from_batch"].as<int64_t>(),
          .to_batch = row["to_batch"].as<int64_t>(),
          .attempt = row["attempt"].as<int32_t>(),
          .worker = {.member_id = row["worker_id"].as<int64_t>(),
                     .number = row["incarnation"].as<int64_t>()},
          .request_id = row["request_id"].as<std::string>()};
}

// What Get() reads of the job that the request makes; std::nullopt when that is too much to keep.
std::optional<v1::GetJobResponse> AnswerOf(const v1::CreateJobRequest& request,
                                           const std::optional<rpc::v1::JobClaims>& scope) {
  if (request.ByteSizeLong() > kMostKeptBytes) return std::nullopt;
  v1::GetJobResponse answer;
  answer.set_name(request.name());
  answer.set_spec(request.spec());
  answer.set_fitted(request.fitted());
  *answer.mutable_samples() = request.samples();
  if (scope) *answer.mutable_scope() = *scope;
  return answer;
}

bool SameLanes(const std::vector<Lane>& lanes, const v1::CreateJobRequest& request) {
  if (std::ssize(lanes) != request.lanes_size()) return false;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const LaneFacts& facts = lanes[i].facts();
    const v1::Lane& lane = request.lanes(static_cast<int>(i));
    if (facts.first_batch != lane.first_batch() || facts.end_batch != lane.end_batch() ||
        facts.shard != lane.shard()) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<StoredJob> JobsTable::Insert(const v1::CreateJobRequest& request,
                                           const std::optional<rpc::v1::JobClaims>& scope) {
  db::SqlArray firsts, ends, shards;
  for (const v1::Lane& lane : request.lanes()) {
    firsts.Add(lane.first_batch());
    ends.Add(lane.end_batch());
    shards.Add(lane.shard());
  }
  const pqxx::result rows = work_.exec_params(
      kInsertJob, request.name(), request.spec(), pqxx::binarystring(request.fitted()),
      request.split_batches(), pqxx::binarystring(request.samples().SerializeAsString()),
      pqxx::binarystring(scope ? scope->SerializeAsString() : std::string()), firsts.text(),
      ends.text(), shards.text());
  if (rows.empty()) return std::nullopt;
  StoredJob job{.facts = {.job_id = rows[0]["job_id"].as<int64_t>(),
                          .name = request.name(),
                          .created_at = rows[0]["created_micros"].as<int64_t>(),
                          .holder = scope.value_or(rpc::v1::JobClaims()).holder()},
                .lanes = {},
                .answer = AnswerOf(request, scope)};
  for (const v1::Lane& lane : request.lanes()) {
    job.lanes.emplace_back(LaneFacts{.first_batch = lane.first_batch(),
                                     .end_batch = lane.end_batch(),
                                     .shard = lane.shard(),
                                     .split_batches = request.split_batches()});
  }
  return job;
}

std::optional<int64_t> JobsTable::Find(const std::string& name) {
  const pqxx::result rows = work_.exec_params(kFindJob, name);
  if (rows.empty()) return std::nullopt;
  return rows[0][0].as<int64_t>();
}

std::string JobsTable::Difference(int64_t job_id, const v1::CreateJobRequest& request) {
  const pqxx::result rows =
      work_.exec_params(kCompareJob, job_id, request.spec(), pqxx::binarystring(request.fitted()),
                        pqxx::binarystring(request.samples().SerializeAsString()));
  const pqxx::row row = rows.at(0);
  const auto split_batches = row["split_batches"].as<int64_t>();
  std::string difference;
  const auto compare = [&](bool same, const char* name) {
    if (!same) difference += (difference.empty() ? "" : ", ") + std::string(name);
  };
  compare(row["same_spec"].as<bool>(), "spec");
  compare(row["same_fitted"].as<bool>(), "fitted");
  compare(row["same_samples"].as<bool>(), "samples");
  compare(SameLanes(LoadLanes(job_id, split_batches), request), "lanes");
  compare(split_batches == request.split_batches(), "split_batches");
  return difference;
}

std::optional<v1::GetJobResponse> JobsTable::Get(int64_t job_id) {
  const pqxx::result rows = work_.exec_params(kSelectJob, job_id);
  if (rows.empty()) return std::nullopt;
  v1::GetJobResponse job;
  job.set_name(rows[0]["name"].as<std::string>());
  job.set_spec(rows[0]["spec"].as<std::string>());
  job.set_fitted(pqxx::binarystring(rows[0]["fitted"]).str());
  const pqxx::binarystring samples(rows[0]["samples"]);
  const bool is_read =
      job.mutable_samples()->ParseFromArray(samples.data(), static_cast<int>(samples.size()));
  TIDEMILL_CHECK(is_read);  // Insert() has written it.
  if (auto scope = ScopeOf(rows[0])) *job.mutable_scope() = *std::move(scope);
  return job;
}

std::vector<StoredJob> JobsTable::Load(std::optional<int64_t> job_id) {
  std::vector<StoredJob> jobs;
  for (const pqxx::row& row : work_.exec_params(kSelectJobs, job_id)) {
    ++num_rows_;
    StoredJob job{.facts = {.job_id = row["job_id"].as<int64_t>(),
                            .name = row["name"].as<std::string>(),
                            .created_at = row["created_micros"].as<int64_t>(),
                            .holder = ScopeOf(row).value_or(rpc::v1::JobClaims()).holder()},
                  .lanes = {}};
    job.lanes = LoadLanes(job.facts.job_id, row["split_batches"].as<int64_t>());
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<Lane> JobsTable::LoadLanes(int64_t job_id, int64_t split_batches) {
  std::map<int32_t, std::vector<IssuedSplit>> splits;
  for (const pqxx::row& row : work_.exec_params(kSelectSplits, job_id)) {
    splits[row["lane"].as<int32_t>()].push_back(ToSplit(row));
    ++num_rows_;
  }
  std::vector<Lane> lanes;
  for (const pqxx::row& row : work_.exec_params(kSelectLanes, job_id)) {
    ++num_rows_;
    lanes.emplace_back(LaneFacts{.first_batch = row["first_batch"].as<int64_t>(),
                                 .end_batch = row["end_batch"].as<int64_t>(),
                                 .shard = row["shard"].as<int32_t>(),
                                 .split_batches = split_batches},
                       LaneCounts{.issued_before = row["issued_before"].as<int64_t>(),
                                  .done_before = row["done_before"].as<int64_t>(),
                                  .num_reissued = row["num_reissued"].as<int64_t>(),
                                  .shard_worker_id = row["shard_worker_id"].as<int64_t>(),
                                  .consumer = row["consumer"].as<std::string>()},
                       std::move(splits[row["lane"].as<int32_t>()]));
  }
  return lanes;
}

void JobsTable::Delete(int64_t job_id) { work_.exec_params(kDeleteJob, job_id); }

}  // namespace tidemill::preprocess

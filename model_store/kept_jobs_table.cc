#include "model_store/kept_jobs_table.h"

#include <utility>

#include "fmt/format.h"

namespace tidemill::model_store {
namespace {

constexpr char kLockFiles[] = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

constexpr char kSelectJob[] = R"(
  SELECT run_epoch, attempt, position FROM model_store.kept_jobs
  WHERE run_id = $1 AND trigger = $2 AND kind = $3)";

constexpr char kSelectJobFiles[] = R"(
  SELECT name, size_bytes, digest FROM model_store.job_files
  WHERE run_id = $1 AND trigger = $2 AND kind = $3 ORDER BY name)";

constexpr char kDeleteJob[] = R"(
  DELETE FROM model_store.kept_jobs WHERE run_id = $1 AND trigger = $2 AND kind = $3)";

constexpr char kInsertJob[] = R"(
  INSERT INTO model_store.kept_jobs (run_id, trigger, kind, run_epoch, attempt, position)
  VALUES ($1, $2, $3, $4, $5, $6))";

constexpr char kInsertJobFile[] = R"(
  INSERT INTO model_store.job_files (run_id, trigger, kind, name, size_bytes, digest)
  VALUES ($1, $2, $3, $4, $5, $6))";

// $3 is the kind of fits.
constexpr char kRetireJobs[] = R"(
  DELETE FROM model_store.kept_jobs AS job
  WHERE run_id = $1 AND trigger < $2 AND NOT (kind = $3 AND EXISTS (
    SELECT FROM model_store.job_files AS file
    JOIN model_store.parts AS part USING (digest)
    JOIN model_store.models AS model USING (model_id)
    WHERE file.run_id = $1 AND file.trigger = job.trigger AND file.kind = $3
      AND model.run_id = $1 AND model.trigger >= $2)))";

constexpr char kDeleteJobsOfRun[] = "DELETE FROM model_store.kept_jobs WHERE run_id = $1";

// $1 run or NULL. A run without files has one row, whose digest is NULL.
constexpr char kSelectNamed[] = R"(
  SELECT run_id, part.digest, true AS of_model
  FROM model_store.models LEFT JOIN model_store.parts AS part
    ON part.model_id = models.model_id AND models.removed_at IS NULL
  WHERE ($1::bigint IS NULL OR run_id = $1)
  UNION
  SELECT run_id, file.digest, false
  FROM model_store.kept_jobs LEFT JOIN model_store.job_files AS file USING (run_id, trigger, kind)
  WHERE ($1::bigint IS NULL OR run_id = $1))";

std::map<int64_t, KeptJobsTable::Named> ToNamed(const pqxx::result& rows) {
  std::map<int64_t, KeptJobsTable::Named> named;
  for (const pqxx::row& row : rows) {
    KeptJobsTable::Named& of_run = named[row["run_id"].as<int64_t>()];
    if (row["digest"].is_null()) continue;
    (row["of_model"].as<bool>() ? of_run.by_models : of_run.by_jobs)
        .insert(row["digest"].as<std::string>());
  }
  return named;
}

}  // namespace

void KeptJobsTable::LockFiles(RunId run) {
  work_.exec_params(kLockFiles, fmt::format("model_store.files/{}", run.value));
}

std::optional<v1::GetKeptJobResponse> KeptJobsTable::Find(RunId run, int64_t trigger,
                                                          v1::JobKind kind) {
  const pqxx::result jobs =
      work_.exec_params(kSelectJob, run.value, trigger, static_cast<int>(kind));
  if (jobs.empty()) return std::nullopt;
  v1::GetKeptJobResponse job;
  job.set_run_epoch(jobs[0]["run_epoch"].as<int64_t>());
  job.set_attempt(jobs[0]["attempt"].as<int64_t>());
  job.set_position(jobs[0]["position"].as<int64_t>());
  for (const pqxx::row& row :
       work_.exec_params(kSelectJobFiles, run.value, trigger, static_cast<int>(kind))) {
    v1::JobFile& file = *job.add_files();
    file.set_name(row["name"].as<std::string>());
    file.set_size_bytes(row["size_bytes"].as<int64_t>());
    file.set_digest(row["digest"].as<std::string>());
  }
  return job;
}

void KeptJobsTable::Replace(const v1::KeepJobRequest& request) {
  const int64_t run = request.command().run_id();
  const int kind = request.kind();
  work_.exec_params(kDeleteJob, run, request.trigger(), kind);
  work_.exec_params(kInsertJob, run, request.trigger(), kind, request.command().run_epoch(),
                    request.attempt(), request.position());
  for (const v1::JobFile& file : request.files()) {
    work_.exec_params(kInsertJobFile, run, request.trigger(), kind, file.name(), file.size_bytes(),
                      file.digest());
  }
}

void KeptJobsTable::Retire(RunId run, int64_t first_kept) {
  work_.exec_params(kRetireJobs, run.value, first_kept, static_cast<int>(v1::JOB_KIND_FIT));
}

void KeptJobsTable::DeleteRun(RunId run) { work_.exec_params(kDeleteJobsOfRun, run.value); }

KeptJobsTable::Named KeptJobsTable::FindNamed(RunId run) {
  std::map<int64_t, Named> named =
      ToNamed(work_.exec_params(kSelectNamed, std::optional<int64_t>(run.value)));
  return std::move(named[run.value]);
}

std::map<int64_t, KeptJobsTable::Named> KeptJobsTable::FindAllNamed() {
  return ToNamed(work_.exec_params(kSelectNamed, std::optional<int64_t>()));
}

}  // namespace tidemill::model_store

#include "model_store/kept_jobs.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"

#include "base/failpoints.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "db/fencing.h"
#include "model_store/kept_jobs_table.h"
#include "model_store/part_file.h"

// How the files of a job replace those before them. A crash at a bar leaves what is above it:
//
//   PutFile     models/<run>/<digest>     named by nothing; removed after an hour
//               ------------------------  before_keep
//   KeepJob     the rows of the job       the new files are named, the old ones are not
//               ------------------------  after_keep
//   Sweep()     the old files are gone
//
// What the last bar leaves is removed by a later sweep of the run, or by the next start.

namespace tidemill::model_store {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxFiles = 4'096;

// "name" or "folder/name", so that a name leads nowhere else.
bool IsJobFileName(std::string_view name) {
  if (name.empty() || name.size() > 128 || std::ranges::count(name, '/') > 1) return false;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' ||
           c == '/';
  };
  if (!std::ranges::all_of(name, is_plain)) return false;
  const size_t slash = name.find('/');
  return name.front() != '.' && name.front() != '/' && name.back() != '/' &&
         (slash == std::string_view::npos || name[slash + 1] != '.');
}

absl::Status CheckRequest(const v1::KeepJobRequest& request) {
  if (request.command().run_id() <= 0 || request.trigger() <= 0) {
    return InvalidArgument("run {}, trigger {}: both numbers start at 1",
                           request.command().run_id(), request.trigger());
  }
  if (request.kind() != v1::JOB_KIND_FIT && request.kind() != v1::JOB_KIND_TRAINING) {
    return InvalidArgument("{} is not a kind of job", static_cast<int>(request.kind()));
  }
  if (request.files_size() > kMaxFiles) {
    return InvalidArgument("a job has {} files; at most {} are allowed", request.files_size(),
                           kMaxFiles);
  }
  std::set<std::string> names;
  for (const v1::JobFile& file : request.files()) {
    if (!IsJobFileName(file.name()) || !names.insert(file.name()).second) {
      return InvalidArgument("\"{}\" cannot be the name of a job's file, or is named twice",
                             file.name());
    }
  }
  return absl::OkStatus();
}

std::pair<int64_t, int64_t> FenceOf(const v1::GetKeptJobResponse& job) {
  return {job.run_epoch(), job.attempt()};
}

// FAILED_PRECONDITION when another server has the job. Otherwise whether the files are the latest.
absl::StatusOr<bool> CheckTurn(const v1::GetKeptJobResponse& kept,
                               const v1::KeepJobRequest& request) {
  const std::pair fence(request.command().run_epoch(), request.attempt());
  if (fence < FenceOf(kept)) {
    return FailedPrecondition(
        "trigger {} of run {} was given to another trainer server: attempt {} of epoch {} has come "
        "after attempt {} of epoch {}",
        request.trigger(), request.command().run_id(), kept.attempt(), kept.run_epoch(),
        fence.second, fence.first);
  }
  return fence > FenceOf(kept) || request.position() >= kept.position();
}

absl::Status CheckFiles(const KeptFiles& files, const v1::KeepJobRequest& request) {
  for (const v1::JobFile& file : request.files()) {
    ASSIGN_OR_RETURN(const int64_t size_bytes, files.Find(file.digest()));
    if (size_bytes != file.size_bytes()) {
      return InvalidArgument("file {} has {} bytes and not {}", file.name(), size_bytes,
                             file.size_bytes());
    }
  }
  return absl::OkStatus();
}

// The folders of runs, by their numbers.
absl::StatusOr<std::map<int64_t, std::string>> ListRuns(const std::string& folder) {
  std::map<int64_t, std::string> runs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    int64_t run = 0;
    if (absl::SimpleAtoi(entry.path().filename().string(), &run)) runs[run] = entry.path();
  }
  if (error) return Unavailable("cannot list {}: {}", folder, error.message());
  return runs;
}

// Adds the sizes of the files of a run. Names of one file count once: `seen` are their numbers.
void AddBytes(const std::string& folder, const KeptJobsTable::Named& named, std::set<ino_t>& seen,
              v1::GetStoredBytesResponse& bytes) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    struct stat status = {};
    // It may have been removed in the meantime.
    if (stat(entry.path().c_str(), &status) != 0 || !seen.insert(status.st_ino).second) continue;
    const std::string digest = entry.path().filename().string();
    if (named.by_models.contains(digest)) {
      bytes.set_models(bytes.models() + status.st_size);
    } else if (named.by_jobs.contains(digest)) {
      bytes.set_jobs(bytes.jobs() + status.st_size);
    } else {
      bytes.set_unnamed(bytes.unnamed() + status.st_size);
    }
  }
}

}  // namespace

KeptFiles KeptJobs::FilesOf(RunId run) const {
  return KeptFiles::OfRun(files::Join(folder_, std::to_string(run.value)));
}

absl::Status KeptJobs::RemoveLeftovers() const {
  std::map<int64_t, KeptJobsTable::Named> named;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    named = KeptJobsTable(work).FindAllNamed();
    return absl::OkStatus();
  }));
  ASSIGN_OR_RETURN(const auto runs, ListRuns(folder_));
  for (const auto& [run, folder] : runs) {
    std::set<std::string> kept;
    if (const auto found = named.find(run); found != named.end()) {
      kept = found->second.by_jobs;
      kept.insert(found->second.by_models.begin(), found->second.by_models.end());
    }
    RETURN_IF_ERROR(KeptFiles::OfRun(folder).Retire(kept, kGrace).status());
    std::error_code ignored;
    if (!named.contains(run)) fs::remove(folder, ignored);  // Where it is empty.
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<IncomingFile>> KeptJobs::Begin(
    const v1::PutFileRequest::Header& header) {
  const RunId run{header.command().run_id()};
  if (run.value <= 0) return InvalidArgument("run {}: its number starts at 1", run.value);
  RETURN_IF_ERROR(database_.Transact(
      [&](pqxx::work& work) { return db::CheckFence(work, "model_store", header.command()); }));
  const std::string folder = files::Join(folder_, std::to_string(run.value));
  if (!files::Exists(folder)) {
    RETURN_IF_ERROR(files::CreateFolder(folder));
    RETURN_IF_ERROR(SyncFolder(folder_));
  }
  const KeptFiles files = FilesOf(run);
  // One that has rotted is taken again.
  if (files.IsSound(header.digest(), header.size_bytes())) return nullptr;
  return files.Begin(header.digest(), header.size_bytes());
}

absl::Status KeptJobs::Read(RunId run, const std::string& digest,
                            const std::function<absl::Status(std::string_view)>& sink) const {
  return FilesOf(run).Read(digest, sink);
}

absl::StatusOr<bool> KeptJobs::Keep(const v1::KeepJobRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  RETURN_IF_FAILPOINT("model_store.before_keep");
  const RunId run{request.command().run_id()};
  std::optional<v1::GetKeptJobResponse> replaced;
  bool is_latest = true;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(db::CheckFence(work, "model_store", request.command()));
    KeptJobsTable jobs(work);
    jobs.LockFiles(run);
    replaced = jobs.Find(run, request.trigger(), request.kind());
    is_latest = true;
    if (replaced) {
      ASSIGN_OR_RETURN(is_latest, CheckTurn(*replaced, request));
    }
    if (!is_latest) return absl::OkStatus();
    RETURN_IF_ERROR(CheckFiles(FilesOf(run), request));
    jobs.Replace(request);
    return absl::OkStatus();
  }));
  RETURN_IF_FAILPOINT("model_store.after_keep");
  if (is_latest && replaced) RETURN_IF_ERROR(Sweep(run, *replaced));
  return is_latest;
}

absl::Status KeptJobs::Sweep(RunId run, const v1::GetKeptJobResponse& replaced) {
  return database_.Transact([&](pqxx::work& work) -> absl::Status {
    KeptJobsTable jobs(work);
    jobs.LockFiles(run);
    const KeptJobsTable::Named named = jobs.FindNamed(run);
    const std::string folder = files::Join(folder_, std::to_string(run.value));
    for (const v1::JobFile& file : replaced.files()) {
      if (named.contains(file.digest())) continue;
      RETURN_IF_ERROR(files::Remove(files::Join(folder, file.digest())));
    }
    std::set<std::string> kept = named.by_jobs;
    kept.insert(named.by_models.begin(), named.by_models.end());
    return FilesOf(run).Retire(kept, kGrace).status();
  });
}

absl::StatusOr<v1::GetKeptJobResponse> KeptJobs::Get(RunId run, int64_t trigger, v1::JobKind kind) {
  std::optional<v1::GetKeptJobResponse> job;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    job = KeptJobsTable(work).Find(run, trigger, kind);
    return absl::OkStatus();
  }));
  return job.value_or(v1::GetKeptJobResponse());
}

absl::StatusOr<v1::GetStoredBytesResponse> KeptJobs::CountBytes() const {
  std::map<int64_t, KeptJobsTable::Named> named;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    named = KeptJobsTable(work).FindAllNamed();
    return absl::OkStatus();
  }));
  ASSIGN_OR_RETURN(const auto runs, ListRuns(folder_));
  std::set<ino_t> seen;
  v1::GetStoredBytesResponse bytes;
  for (const auto& [run, folder] : runs) AddBytes(folder, named[run], seen, bytes);
  return bytes;
}

}  // namespace tidemill::model_store

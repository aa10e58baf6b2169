#include "evaluator/column_files.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "base/digest.h"
#include "base/failpoints.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "db/fencing.h"

// The way of a request. Callers with the same key wait for the same computation.
//
//   Read() --> FindFile ---- found --------------------------------------------> batch
//                 |                                                                ^
//                 `-- Join --> Compute --> job --> unsealed/<n> --> Publish -------'
//                                ^                                    |
//                                |                                    `-- <run>/<sha256>.batch
//                                `-- stopped once its last caller has gone
//
// MakeRoom() removes the files that were used least recently.

namespace tidemill::evaluator {
namespace {

constexpr std::chrono::milliseconds kPause{500};
// Where jobs write: no run has this name.
constexpr std::string_view kUnsealed = "unsealed";
constexpr std::string_view kSuffix = ".batch";

absl::Status Check(const v1::ReadModelColumnsRequest& request) {
  if (request.command().run_id() <= 0) return InvalidArgument("the command names no run");
  if (request.keys_size() > ColumnFiles::kMaxKeys) {
    return InvalidArgument("{} keys are requested; at most {} are allowed", request.keys_size(),
                           ColumnFiles::kMaxKeys);
  }
  if (request.columns().empty()) return InvalidArgument("the request names no column");
  std::set<int> seen;
  for (const int column : request.columns()) {
    if (column == v1::MODEL_COLUMN_UNSPECIFIED || !v1::ModelColumn_IsValid(column)) {
      return InvalidArgument("there is no column {}", column);
    }
    if (!seen.insert(column).second) {
      return InvalidArgument("the request names column {} twice", column);
    }
  }
  return absl::OkStatus();
}

// Depends on what is asked for, not on the caller, nor on where samples are prepared. The order of
// columns does not matter.
std::string NameOf(v1::ReadModelColumnsRequest request) {
  request.clear_command();
  request.clear_workers();
  std::sort(request.mutable_columns()->begin(), request.mutable_columns()->end());
  return Sha256(request.SerializeAsString());
}

v1::EvaluationJob JobOf(const v1::ReadModelColumnsRequest& request, int64_t max_bytes) {
  v1::EvaluationJob job;
  *job.mutable_columns() = request;
  job.mutable_file()->set_max_bytes(max_bytes);
  return job;
}

std::optional<RunId> RunOf(const std::string& folder_name) {
  RunId run;
  const char* const end = folder_name.data() + folder_name.size();
  const auto [parsed, error] = std::from_chars(folder_name.data(), end, run.value);
  if (error != std::errc() || parsed != end) return std::nullopt;
  return run;
}

// So that the next life knows which were used last.
void StampUse(const std::string& path) {
  std::error_code ignored;
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
}

}  // namespace

ColumnFiles::ColumnFiles(db::Database& database, ColumnFilesOptions options, ColumnsRunner run_job)
    : database_(database),
      options_(std::move(options)),
      run_job_(std::move(run_job)),
      pool_("columns", options_.num_jobs) {}

ColumnFiles::~ColumnFiles() { Stop(); }

absl::StatusOr<std::unique_ptr<ColumnFiles>> ColumnFiles::Open(db::Database& database,
                                                               ColumnFilesOptions options,
                                                               ColumnsRunner run_job) {
  const std::string unsealed = files::Join(options.folder, kUnsealed);
  RETURN_IF_ERROR(files::Remove(unsealed));
  RETURN_IF_ERROR(files::CreateFolder(unsealed));
  std::unique_ptr<ColumnFiles> opened(
      new ColumnFiles(database, std::move(options), std::move(run_job)));
  RETURN_IF_ERROR(opened->TakeOver());
  return opened;
}

absl::Status ColumnFiles::TakeOver() {
  struct Found {
    std::filesystem::file_time_type time;
    FileKey key;
    int64_t size_bytes;
  };
  std::vector<Found> found;
  std::error_code error;
  for (const auto& folder : std::filesystem::directory_iterator(options_.folder, error)) {
    const auto run = RunOf(folder.path().filename().string());
    if (!run) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(), error)) {
      const auto size = static_cast<int64_t>(entry.file_size(error));
      found.push_back({entry.last_write_time(error), {*run, entry.path().stem().string()}, size});
    }
  }
  if (error) return Internal("cannot list {}: {}", options_.folder, error.message());
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.time < b.time; });
  {
    MutexLock lock(mutex_);
    for (const Found& one : found) {
      files_[one.key] = {.size_bytes = one.size_bytes,
                         .last_use = ++num_uses_,
                         .publication = ++num_publications_};
      num_bytes_ += one.size_bytes;
    }
  }
  return MakeRoom({});
}

std::string ColumnFiles::PathOf(const FileKey& key) const {
  return files::Join(files::Join(options_.folder, std::to_string(key.run.value)),
                     key.name + std::string(kSuffix));
}

absl::Status ColumnFiles::CheckFence(const v1::ReadModelColumnsRequest& request) {
  return database_.Transact(
      [&](pqxx::work& work) { return db::CheckFence(work, "evaluator", request.command()); });
}

absl::StatusOr<batch::Batch> ColumnFiles::Read(const v1::ReadModelColumnsRequest& request,
                                               const std::stop_token& stop) {
  RETURN_IF_ERROR(Check(request));
  RETURN_IF_ERROR(CheckFence(request));
  const FileKey key{.run = {request.command().run_id()}, .name = NameOf(request)};
  for (;;) {
    ASSIGN_OR_RETURN(std::optional<batch::Batch> found, FindFile(key));
    if (found) return *std::move(found);
    ASSIGN_OR_RETURN(const std::shared_ptr<Computation> computation, Join(key, request));
    if (computation != nullptr) return Wait(key, *computation, stop);
  }
}

absl::StatusOr<std::optional<batch::Batch>> ColumnFiles::FindFile(const FileKey& key) {
  const std::string path = PathOf(key);
  // Another thread may publish the file after this one has looked: what is forgotten below is what
  // was looked at.
  const int64_t publication = PublicationOf(key);
  auto file = batch::ReadSealedFile(path);
  if (file.ok()) {
    StampUse(path);
    NoteUse(key);
    return std::move(file->batch);
  }
  if (file.status().code() == absl::StatusCode::kDataLoss) {
    // It stays until the new file replaces it: by now the path may hold a sound one.
    log::Warn("a column file is damaged; computing it again",
              {{"run", std::to_string(key.run.value)}, {"error", file.status().ToString()}});
  } else if (file.status().code() != absl::StatusCode::kNotFound) {
    return file.status();
  }
  FAILPOINT("evaluator.before_forgetting_columns");
  ForgetPublication(key, publication);
  return std::nullopt;
}

absl::StatusOr<std::shared_ptr<ColumnFiles::Computation>> ColumnFiles::Join(
    const FileKey& key, const v1::ReadModelColumnsRequest& request) {
  MutexLock lock(mutex_);
  if (stopping_) return Unavailable("the evaluator is stopping");
  if (files_.contains(key)) return std::shared_ptr<Computation>();
  std::shared_ptr<Computation>& computation = computations_[key];
  if (computation == nullptr) {
    computation = std::make_shared<Computation>();
    v1::EvaluationJob job = JobOf(request, options_.max_bytes);
    job.mutable_file()->set_path(
        files::Join(files::Join(options_.folder, kUnsealed), std::to_string(++num_jobs_begun_)));
    pool_.Submit(
        [this, key, job = std::move(job), computation] { Compute(key, job, *computation); });
  }
  ++computation->num_waiting;
  return computation;
}

absl::StatusOr<batch::Batch> ColumnFiles::Wait(const FileKey& key, Computation& computation,
                                               const std::stop_token& stop) {
  bool is_abandoned = false;
  absl::StatusOr<batch::Batch> result = Cancelled("no caller waits for the columns any more");
  {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, stop, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return computation.result.has_value() || stopping_;
    });
    --computation.num_waiting;
    if (computation.result) result = *computation.result;
    if (stopping_ && !result.ok()) result = Unavailable("the evaluator is stopping");
    is_abandoned = !computation.result && computation.num_waiting == 0;
    // The next caller begins again.
    if (is_abandoned) Forget(key, computation);
  }
  if (is_abandoned) computation.stop.request_stop();
  return result;
}

void ColumnFiles::Forget(const FileKey& key, const Computation& computation) {
  const auto it = computations_.find(key);
  if (it != computations_.end() && it->second.get() == &computation) computations_.erase(it);
}

void ColumnFiles::Compute(const FileKey& key, v1::EvaluationJob job, Computation& computation) {
  const std::stop_token stop = computation.stop.get_token();
  const std::string path = job.file().path();
  auto made = RunAttempts(job, stop);
  if (made.ok()) {
    const absl::Status published = Publish(path, key, made->size_bytes, stop);
    if (!published.ok()) {
      // It is served all the same, and computed again for the next request.
      log::Warn("cannot keep a column file",
                {{"run", std::to_string(key.run.value)}, {"error", published.ToString()}});
    }
  }
  files::Remove(path).IgnoreError();
  MutexLock lock(mutex_);
  if (made.ok()) {
    computation.result = std::move(made->batch);
  } else {
    computation.result = made.status();
  }
  Forget(key, computation);
  changed_.notify_all();
}

absl::StatusOr<batch::SealedBatch> ColumnFiles::RunAttempts(v1::EvaluationJob& job,
                                                            const std::stop_token& stop) {
  absl::Status status = Cancelled("the job was stopped");
  for (int attempt = 1; attempt <= kMaxAttempts && !stop.stop_requested(); ++attempt) {
    if (attempt > 1) {
      log::Warn("a job that computes columns was interrupted", {{"error", status.ToString()}});
      MutexLock lock(mutex_);
      changed_.wait_for(mutex_, stop, kPause * (attempt - 1), [] { return false; });
    }
    RETURN_IF_FAILPOINT("evaluator.before_columns");
    status = run_job_(job, stop);
    if (status.ok()) {
      auto file = batch::ReadSealedFile(job.file().path());
      if (file.ok()) return file;
      status = Unavailable("the job left no column file: {}", std::string(file.status().message()));
    }
    // The callers may retry.
    if (absl::IsAborted(status)) status = absl::UnavailableError(status.message());
    if (!absl::IsUnavailable(status)) return status;
  }
  return status;
}

absl::Status ColumnFiles::Publish(const std::string& path, const FileKey& key, int64_t size_bytes,
                                  const std::stop_token& stop) {
  const std::string target = PathOf(key);
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  RETURN_IF_ERROR(files::CreateFolder(folder.string()));
  std::error_code error;
  std::filesystem::rename(path, target, error);
  if (error) return Internal("cannot rename {} to {}: {}", path, target, error.message());
  NoteFile(key, size_bytes);
  // DeleteRun() stops a job before it removes the folder.
  if (stop.stop_requested()) {
    ForgetFile(key);
    return files::Remove(target);
  }
  return MakeRoom(key);
}

void ColumnFiles::NoteFile(const FileKey& key, int64_t size_bytes) {
  MutexLock lock(mutex_);
  File& file = files_[key];
  num_bytes_ += size_bytes - file.size_bytes;
  file = {.size_bytes = size_bytes, .last_use = ++num_uses_, .publication = ++num_publications_};
}

void ColumnFiles::NoteUse(const FileKey& key) {
  MutexLock lock(mutex_);
  // A file that is gone from the table stays gone, even if its bytes could still be read.
  if (const auto it = files_.find(key); it != files_.end()) it->second.last_use = ++num_uses_;
}

int64_t ColumnFiles::PublicationOf(const FileKey& key) const {
  MutexLock lock(mutex_);
  const auto it = files_.find(key);
  return it == files_.end() ? 0 : it->second.publication;
}

void ColumnFiles::ForgetPublication(const FileKey& key, int64_t publication) {
  MutexLock lock(mutex_);
  const auto it = files_.find(key);
  if (it == files_.end() || it->second.publication != publication) return;
  num_bytes_ -= it->second.size_bytes;
  files_.erase(it);
}

void ColumnFiles::ForgetFile(const FileKey& key) {
  MutexLock lock(mutex_);
  const auto it = files_.find(key);
  if (it == files_.end()) return;
  num_bytes_ -= it->second.size_bytes;
  files_.erase(it);
}

absl::Status ColumnFiles::MakeRoom(const FileKey& kept) {
  std::vector<std::string> removed;
  {
    MutexLock lock(mutex_);
    while (num_bytes_ > options_.max_bytes) {
      auto oldest = files_.end();
      for (auto it = files_.begin(); it != files_.end(); ++it) {
        if (it->first == kept) continue;
        if (oldest == files_.end() || it->second.last_use < oldest->second.last_use) oldest = it;
      }
      if (oldest == files_.end()) break;
      num_bytes_ -= oldest->second.size_bytes;
      removed.push_back(PathOf(oldest->first));
      files_.erase(oldest);
    }
  }
  for (const std::string& path : removed) RETURN_IF_ERROR(files::Remove(path));
  return absl::OkStatus();
}

absl::Status ColumnFiles::DeleteRun(RunId run) {
  std::vector<std::shared_ptr<Computation>> stopped;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, computation] : computations_) {
      if (key.run == run) stopped.push_back(computation);
    }
  }
  for (const auto& computation : stopped) computation->stop.request_stop();
  {
    MutexLock lock(mutex_);
    std::erase_if(files_, [&](const auto& file) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      if (file.first.run != run) return false;
      num_bytes_ -= file.second.size_bytes;
      return true;
    });
  }
  return files::Remove(files::Join(options_.folder, std::to_string(run.value)));
}

void ColumnFiles::Stop() {
  std::vector<std::shared_ptr<Computation>> stopped;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    for (const auto& [key, computation] : computations_) stopped.push_back(computation);
    changed_.notify_all();
  }
  for (const auto& computation : stopped) computation->stop.request_stop();
}

int64_t ColumnFiles::num_bytes() const {
  MutexLock lock(mutex_);
  return num_bytes_;
}

}  // namespace tidemill::evaluator

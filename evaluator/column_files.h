// Column files: the answers of models about samples. Jobs compute them, and they are kept while
// there is room. docs/formats/column_files.md describes the format.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "batch/batch.h"
#include "batch/sealed_file.h"
#include "db/database.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Runs a job that has `columns`, which writes a column file. Returns when the job has ended.
// ABORTED when its process died, UNAVAILABLE when a service could not be reached or the file is
// missing: the caller may retry. CANCELLED when `stop` was requested. Any other code means that
// another attempt is useless. Thread-safe.
using ColumnsRunner =
    std::function<absl::Status(const v1::EvaluationJob& job, const std::stop_token& stop)>;

struct ColumnFilesOptions {
  // The folder of the files. Each run has its own folder in it.
  std::string folder;
  // The most bytes of all files. The least recently used files are removed to stay within it.
  int64_t max_bytes = int64_t{1} << 30;
  // The number of jobs that run at once. Others wait.
  int num_jobs = 1;
};

// Thread-safe. The files are a cache: a lost file is computed again.
class ColumnFiles {
 public:
  static constexpr int kMaxAttempts = 3;
  static constexpr int kMaxKeys = 1'000'000;

  // Takes over the files of an earlier process, and removes the files that it did not seal. An
  // Evaluator must have migrated the schema of `database`. `database` must outlive this object.
  static absl::StatusOr<std::unique_ptr<ColumnFiles>> Open(db::Database& database,
                                                           ColumnFilesOptions options,
                                                           ColumnsRunner run_job);
  // Stops the running jobs.
  ~ColumnFiles();

  // Returns the columns of a request, as views of a verified file, which may be removed while they
  // are in use. When there is no such file, waits for the job that computes it. Equal requests wait
  // for one job. The job is stopped when none of them waits any more. Returns the errors of
  // ReadModelColumns. CANCELLED when `stop` is requested. UNAVAILABLE when kMaxAttempts processes
  // of a job died, or when the service stops.
  absl::StatusOr<batch::Batch> Read(const v1::ReadModelColumnsRequest& request,
                                    const std::stop_token& stop) ABSL_LOCKS_EXCLUDED(mutex_);

  // Stops the jobs of a run and removes its files.
  absl::Status DeleteRun(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);

  // Stops the running jobs and ends the calls that wait.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  // The bytes of all files, for tests.
  int64_t num_bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The run, and the digest of the request.
  struct FileKey {
    RunId run;
    std::string name;
    friend auto operator<=>(const FileKey&, const FileKey&) = default;
  };
  struct File {
    int64_t size_bytes = 0;
    int64_t last_use = 0;     // A greater number is a later use.
    int64_t publication = 0;  // No two files that were ever published have the same number.
  };
  // A job that is queued or running. mutex_ guards all fields except `stop`.
  struct Computation {
    int num_waiting = 0;
    std::optional<absl::StatusOr<batch::Batch>> result = std::nullopt;
    std::stop_source stop = {};
  };

  ColumnFiles(db::Database& database, ColumnFilesOptions options, ColumnsRunner run_job);
  absl::Status TakeOver();
  absl::Status CheckFence(const v1::ReadModelColumnsRequest& request);
  std::string PathOf(const FileKey& key) const;
  // Returns the file if it exists. std::nullopt when it must be computed.
  absl::StatusOr<std::optional<batch::Batch>> FindFile(const FileKey& key)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<batch::Batch> Wait(const FileKey& key, Computation& computation,
                                    const std::stop_token& stop) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the job for a file, and starts it when there is none. Returns nullptr when the file has
  // appeared in the meantime.
  absl::StatusOr<std::shared_ptr<Computation>> Join(const FileKey& key,
                                                    const v1::ReadModelColumnsRequest& request)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Forget(const FileKey& key, const Computation& computation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Compute(const FileKey& key, v1::EvaluationJob job, Computation& computation)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<batch::SealedBatch> RunAttempts(v1::EvaluationJob& job,
                                                 const std::stop_token& stop)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Publish(const std::string& path, const FileKey& key, int64_t size_bytes,
                       const std::stop_token& stop) ABSL_LOCKS_EXCLUDED(mutex_);
  // Record that a file was written, that it was read, and that it is gone.
  void NoteFile(const FileKey& key, int64_t size_bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteUse(const FileKey& key) ABSL_LOCKS_EXCLUDED(mutex_);
  void ForgetFile(const FileKey& key) ABSL_LOCKS_EXCLUDED(mutex_);
  // The publication of a file that is kept, 0 when there is none.
  int64_t PublicationOf(const FileKey& key) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Forgets a file unless another publication has replaced it since.
  void ForgetPublication(const FileKey& key, int64_t publication) ABSL_LOCKS_EXCLUDED(mutex_);
  // Removes the least recently used files, but not `kept`, until the rest is within the budget.
  absl::Status MakeRoom(const FileKey& kept) ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  const ColumnFilesOptions options_;
  const ColumnsRunner run_job_;
  mutable Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t num_jobs_begun_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_uses_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_publications_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<FileKey, File> files_ ABSL_GUARDED_BY(mutex_);
  // Shared with the task that runs the job and with the calls that wait for it.
  std::map<FileKey, std::shared_ptr<Computation>> computations_ ABSL_GUARDED_BY(mutex_);
  WorkerPool pool_;  // The last member: its tasks use all members above.
};

}  // namespace tidemill::evaluator

// Column files: what models say of samples, computed by jobs and kept while there is room. The
// format is written down in docs/formats/column_files.md.
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

// Writes a column file: does a job that has `columns`, and returns when it has ended. UNAVAILABLE
// when it ended before its time and may be done again; CANCELLED once `stop` was requested; another
// code when trying again is no use. Thread-safe.
using ColumnsRunner =
    std::function<absl::Status(const v1::EvaluationJob& job, const std::stop_token& stop)>;

struct ColumnFilesOptions {
  // Where the files are, one folder for each run.
  std::string folder;
  // Of all files; the least recently used ones are removed to keep to it.
  int64_t max_bytes = int64_t{1} << 30;
  // Jobs that run at once; others wait.
  int num_jobs = 1;
};

// Thread-safe. Files are caches: whatever is lost is computed again.
class ColumnFiles {
 public:
  static constexpr int kMaxAttempts = 3;
  static constexpr int kMaxKeys = 1'000'000;

  // Takes over the files of an earlier life and removes what it left unsealed. `database`, whose
  // schema an Evaluator has migrated, must outlive it.
  static absl::StatusOr<std::unique_ptr<ColumnFiles>> Open(db::Database& database,
                                                           ColumnFilesOptions options,
                                                           ColumnsRunner run_job);
  // Stops the jobs that run.
  ~ColumnFiles();

  // The columns of a request, as views of a file that was verified, which may be removed meanwhile.
  // Waits for the job that computes them where there is no such file; equal requests wait for one
  // job, which is stopped when none of them waits any more. Codes as ReadModelColumns; CANCELLED
  // once `stop` is requested; UNAVAILABLE when kMaxAttempts of a job's processes died, or the
  // service stops.
  absl::StatusOr<batch::Batch> Read(const v1::ReadModelColumnsRequest& request,
                                    const std::stop_token& stop) ABSL_LOCKS_EXCLUDED(mutex_);

  // Stops the jobs of a run and removes its files.
  absl::Status DeleteRun(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);

  // Stops the jobs that run and lets those who wait go.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  // Of all files, for tests.
  int64_t num_bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The digest of what was asked for.
  struct FileKey {
    RunId run;
    std::string name;
    friend auto operator<=>(const FileKey&, const FileKey&) = default;
  };
  struct File {
    int64_t size_bytes = 0;
    int64_t last_use = 0;  // Greater is later.
  };
  // A job that is queued or runs. Its fields but `stop` are guarded by mutex_.
  struct Computation {
    int num_waiting = 0;
    std::optional<absl::StatusOr<batch::Batch>> result = std::nullopt;
    std::stop_source stop = {};
  };

  ColumnFiles(db::Database& database, ColumnFilesOptions options, ColumnsRunner run_job);
  absl::Status TakeOver();
  absl::Status CheckFence(const v1::ReadModelColumnsRequest& request);
  std::string PathOf(const FileKey& key) const;
  // A file that is there; std::nullopt when it must be computed.
  absl::StatusOr<std::optional<batch::Batch>> FindFile(const FileKey& key)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<batch::Batch> Wait(const FileKey& key, Computation& computation,
                                    const std::stop_token& stop) ABSL_LOCKS_EXCLUDED(mutex_);
  // The job for a file, which is begun when there is none; nullptr when the file has come
  // meanwhile.
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
  // Keep account of a file that was written or read, and of one that is gone.
  void NoteFile(const FileKey& key, int64_t size_bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void ForgetFile(const FileKey& key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Removes the least recently used files, but not `kept`, until the rest keeps to the budget.
  absl::Status MakeRoom(const FileKey& kept) ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  const ColumnFilesOptions options_;
  const ColumnsRunner run_job_;
  mutable Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t num_jobs_begun_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_uses_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<FileKey, File> files_ ABSL_GUARDED_BY(mutex_);
  // Shared with the task that runs the job and with those who wait for it.
  std::map<FileKey, std::shared_ptr<Computation>> computations_ ABSL_GUARDED_BY(mutex_);
  WorkerPool pool_;  // Last: its tasks use everything above.
};

}  // namespace tidemill::evaluator

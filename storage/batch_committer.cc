#include "storage/batch_committer.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "storage/ingest_writer.h"

namespace tidemill::storage {

BatchCommitter::BatchCommitter(db::Database& database, std::string storage_folder,
                               DatasetId dataset)
    : database_(database),
      storage_folder_(std::move(storage_folder)),
      dataset_(dataset),
      summarizer_(database, dataset) {}

BatchCommitter::~BatchCommitter() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    waiting_.reset();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

absl::Status BatchCommitter::Add(IngestBatch batch) {
  MutexLock lock(mutex_);
  while (waiting_ && status_.ok()) changed_.wait(mutex_);
  RETURN_IF_ERROR(status_);
  waiting_ = std::move(batch);
  changed_.notify_all();
  if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
  return absl::OkStatus();
}

absl::Status BatchCommitter::Drain() {
  MutexLock lock(mutex_);
  while ((waiting_ || committing_) && status_.ok()) changed_.wait(mutex_);
  return status_;
}

absl::Status BatchCommitter::Finish() {
  RETURN_IF_ERROR(Drain());
  if (thread_.joinable()) summarizer_.Finish();
  return absl::OkStatus();
}

CommittedCounts BatchCommitter::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

void BatchCommitter::Loop() {
  pthread_setname_np(pthread_self(), "commit");
  while (true) {
    IngestBatch batch;
    {
      MutexLock lock(mutex_);
      committing_ = false;
      changed_.notify_all();
      while (!waiting_ && !stopping_) changed_.wait(mutex_);
      if (stopping_ || !status_.ok()) return;
      batch = *std::exchange(waiting_, std::nullopt);
      committing_ = true;
      changed_.notify_all();
    }
    const absl::Status status = Commit(batch);
    MutexLock lock(mutex_);
    status_.Update(status);
    if (!status.ok()) continue;
    Count(batch);
  }
}

void BatchCommitter::Count(const IngestBatch& batch) {
  counts_.num_files += std::ranges::count_if(
      batch.files, [](const FileRow& file) { return file.state != "partial"; });
  counts_.num_samples += batch.num_samples;
  counts_.num_deleted += std::ssize(batch.buried);
  counts_.num_quarantined += batch.num_quarantined;
}

absl::Status BatchCommitter::Commit(const IngestBatch& batch) {
  if (copy_ == nullptr) {
    ASSIGN_OR_RETURN(copy_, BeginIngest(database_));
  } else {
    RETURN_IF_ERROR(copy_->BeginNext());
    summarizer_.Continue();
  }
  return CommitBatch(*copy_, storage_folder_, dataset_, batch);
}

}  // namespace tidemill::storage

#include "storage/ingest/batch_committer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "storage/ingest/ingest_writer.h"

namespace tidemill::storage {

BatchCommitter::BatchCommitter(db::Database& database, std::string storage_folder,
                               DatasetId dataset)
    : database_(database),
      storage_folder_(std::move(storage_folder)),
      dataset_(dataset),
      summarizer_(database, dataset),
      thread_("commit", 1) {
  thread_.Submit([this] { Loop(); });
}

BatchCommitter::~BatchCommitter() {
  MutexLock lock(mutex_);
  stopping_ = true;
  waiting_.reset();
  changed_.notify_all();
}

absl::Status BatchCommitter::Add(IngestBatch batch) {
  MutexLock lock(mutex_);
  while (waiting_ && status_.ok()) changed_.wait(mutex_);
  RETURN_IF_ERROR(status_);
  waiting_ = std::move(batch);
  changed_.notify_all();
  return absl::OkStatus();
}

absl::Status BatchCommitter::Drain() {
  MutexLock lock(mutex_);
  while ((waiting_ || committing_) && status_.ok()) changed_.wait(mutex_);
  return status_;
}

absl::Status BatchCommitter::Finish() {
  RETURN_IF_ERROR(Drain());
  summarizer_.Finish();
  return absl::OkStatus();
}

CommittedCounts BatchCommitter::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

void BatchCommitter::Loop() {
  absl::StatusOr<std::unique_ptr<db::CopyWriter>> copy = BeginIngest(database_);
  while (const std::optional<IngestBatch> batch = Next()) {
    absl::Status status = copy.status();
    if (status.ok()) {
      status =
          CommitBatch(**copy, storage_folder_, dataset_, *batch, [&] { summarizer_.Continue(); });
    }
    if (status.ok()) status = (*copy)->BeginNext();
    Note(status, *batch);
  }
}

std::optional<IngestBatch> BatchCommitter::Next() {
  MutexLock lock(mutex_);
  committing_ = false;
  changed_.notify_all();
  while (!waiting_ && !stopping_) changed_.wait(mutex_);
  if (stopping_ || !status_.ok()) return std::nullopt;
  committing_ = true;
  changed_.notify_all();
  return std::exchange(waiting_, std::nullopt);
}

void BatchCommitter::Note(const absl::Status& status, const IngestBatch& batch) {
  MutexLock lock(mutex_);
  status_.Update(status);
  if (!status.ok()) return;
  counts_.num_files += std::ranges::count_if(
      batch.files, [](const FileRow& file) { return file.state != "partial"; });
  counts_.num_samples += batch.num_samples;
  counts_.num_deleted += std::ssize(batch.tombstones);
  counts_.num_replaced += batch.num_replaced;
  counts_.num_quarantined += batch.num_quarantined;
}

}  // namespace tidemill::storage

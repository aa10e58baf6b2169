#include "storage/ingest/summarizer.h"

#include "base/logs/log.h"
#include "storage/catalog/files_table.h"

namespace tidemill::storage {

namespace {

void Warn(const absl::Status& status) {
  if (!status.ok()) log::Warn("cannot summarize", {{"error", status.ToString()}});
}

}  // namespace

Summarizer::Summarizer(db::Database& database, DatasetId dataset)
    : database_(database), dataset_(dataset) {}

void Summarizer::Continue() {
  {
    MutexLock lock(mutex_);
    if (waits_) return;
    waits_ = true;
  }
  if (!thread_) thread_.emplace("summarize", 1);
  thread_->Submit([this] { SummarizeFull(); });
}

void Summarizer::Finish() {
  thread_.reset();
  Warn(database_.Transact([&](pqxx::work& work) {
    files_table::Summarize(work, dataset_);
    return absl::OkStatus();
  }));
}

void Summarizer::SummarizeFull() {
  {
    MutexLock lock(mutex_);
    waits_ = false;
  }
  Warn(database_.Transact([&](pqxx::work& work) {
    next_page_ = files_table::SummarizeFull(work, dataset_, next_page_);
    return absl::OkStatus();
  }));
}

}  // namespace tidemill::storage

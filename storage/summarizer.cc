#include "storage/summarizer.h"

#include "base/log.h"
#include "storage/files_table.h"

namespace tidemill::storage {

namespace {

void Warn(const absl::Status& status) {
  if (!status.ok()) log::Warn("cannot summarize", {{"error", status.ToString()}});
}

}  // namespace

Summarizer::Summarizer(db::Database& database, DatasetId dataset)
    : database_(database), dataset_(dataset) {}

Summarizer::~Summarizer() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Summarizer::Continue() {
  MutexLock lock(mutex_);
  wanted_ = true;
  wake_.notify_all();
  if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
}

void Summarizer::Finish() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  Warn(database_.Transact([&](pqxx::work& work) {
    files_table::Summarize(work, dataset_);
    return absl::OkStatus();
  }));
}

void Summarizer::Loop() {
  while (true) {
    {
      MutexLock lock(mutex_);
      while (!wanted_ && !stopping_) wake_.wait(mutex_);
      if (stopping_) return;
      wanted_ = false;
    }
    Warn(database_.Transact([&](pqxx::work& work) {
      next_page_ = files_table::SummarizeFull(work, dataset_, next_page_);
      return absl::OkStatus();
    }));
  }
}

}  // namespace tidemill::storage

#include "supervisor/requests/conducted_runs.h"

#include <utility>

namespace tidemill::supervisor {

ConductedRuns::ConductedRuns(db::Database& database, DownstreamFactory connect, Pool& pool,
                             const StoredRuns& runs)
    : database_(database), connect_(std::move(connect)), pool_(pool), runs_(runs) {}

absl::Status ConductedRuns::Recover() {
  std::vector<RunId> runs;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    runs = UnfinishedRuns(work);
    return absl::OkStatus();
  }));
  for (const RunId run : runs) ConductIfIdle(run);
  return absl::OkStatus();
}

void ConductedRuns::Shutdown() {
  std::map<RunId, Conducted> ended;
  {
    MutexLock lock(mutex_);
    ended.swap(conducted_);
  }
  for (auto& [run, conducted] : ended) conducted.conductor->Stop();
}

void ConductedRuns::Conduct(RunId run, std::shared_ptr<RunFeed> feed) {
  if (feed == nullptr) feed = std::make_shared<RunFeed>();
  std::vector<Conducted> finished;  // Threads end without the lock.
  MutexLock lock(mutex_);
  ConductLocked(run, std::move(feed), finished);
}

void ConductedRuns::ConductIfIdle(RunId run) {
  std::vector<Conducted> finished;
  MutexLock lock(mutex_);
  if (!conducted_.contains(run)) ConductLocked(run, std::make_shared<RunFeed>(), finished);
}

void ConductedRuns::ConductLocked(RunId run, std::shared_ptr<RunFeed> feed,
                                  std::vector<Conducted>& finished) {
  for (auto it = conducted_.begin(); it != conducted_.end();) {
    if (it->second.conductor != nullptr && it->second.conductor->finished()) {
      finished.push_back(std::move(it->second));
      it = conducted_.erase(it);
    } else {
      ++it;
    }
  }
  ended_.erase(run);
  Conducted& conducted = conducted_[run];
  conducted.feed = feed;
  conducted.conductor =
      std::make_unique<Conductor>(database_, connect_, pool_, run, std::move(feed));
}

std::shared_ptr<RunFeed> ConductedRuns::End(RunId run) {
  Conducted ended;
  {
    MutexLock lock(mutex_);
    const auto it = conducted_.find(run);
    if (it == conducted_.end()) return nullptr;
    ended = std::move(it->second);
    conducted_.erase(it);
  }
  return ended.feed;
}

std::shared_ptr<RunFeed> ConductedRuns::OpenFeed(RunId run) {
  MutexLock lock(mutex_);
  if (const auto it = conducted_.find(run); it != conducted_.end()) return it->second.feed;
  const auto it = ended_.find(run);
  return it == ended_.end() ? nullptr : it->second.lock();
}

absl::StatusOr<std::shared_ptr<RunFeed>> ConductedRuns::Watch(RunId run) {
  if (auto feed = OpenFeed(run)) return feed;
  ASSIGN_OR_RETURN(const RunRow row, runs_.Find(run));
  ASSIGN_OR_RETURN(FoldedRun folded, runs_.Fold(run));
  auto feed = std::make_shared<RunFeed>();
  for (EventRow& event : folded.events) feed->Append(std::move(event.shown));
  if (row.summary.state() == v1::RUN_STATE_RUNNING) {
    return Unavailable("another process is taking over run {}", run.value);
  }
  feed->Close(row.summary);
  MutexLock lock(mutex_);
  std::erase_if(ended_, [](const auto& entry) { return entry.second.expired(); });
  if (!conducted_.contains(run)) ended_[run] = feed;
  return feed;
}

void ConductedRuns::Forget(RunId run) {
  MutexLock lock(mutex_);
  ended_.erase(run);
}

}  // namespace tidemill::supervisor

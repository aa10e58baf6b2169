// What the watchers of runs read.
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "supervisor/supervisor.h"

namespace tidemill::supervisor {

std::shared_ptr<RunFeed> Supervisor::OpenFeed(RunId run) {
  MutexLock lock(mutex_);
  if (const auto it = conducted_.find(run); it != conducted_.end()) return it->second.feed;
  const auto it = ended_.find(run);
  return it == ended_.end() ? nullptr : it->second.lock();
}

absl::StatusOr<std::shared_ptr<RunFeed>> Supervisor::Watch(RunId run) {
  if (auto feed = OpenFeed(run)) return feed;
  ASSIGN_OR_RETURN(const RunRow row, Find(run));
  std::vector<EventRow> events;
  RETURN_IF_ERROR(Fold(run, events).status());
  auto feed = std::make_shared<RunFeed>();
  for (EventRow& event : events) feed->Append(std::move(event.shown));
  if (row.summary.state() == v1::RUN_STATE_RUNNING) {
    return Unavailable("run {} is being taken over", run.value);
  }
  feed->Close(row.summary);
  MutexLock lock(mutex_);
  std::erase_if(ended_, [](const auto& entry) { return entry.second.expired(); });
  if (!conducted_.contains(run)) ended_[run] = feed;
  return feed;
}

}  // namespace tidemill::supervisor

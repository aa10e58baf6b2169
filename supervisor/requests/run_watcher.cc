#include "supervisor/requests/run_watcher.h"

#include <utility>

#include "rpc/grpc_status.h"

namespace tidemill::supervisor {

RunWatcher::RunWatcher(rpc::StreamPermit permit, int64_t after_sequence)
    : permit_(std::move(permit)), link_(std::make_shared<Link>()) {
  MutexLock lock(link_->mutex);
  link_->watcher = this;
  link_->cursor.after_sequence = after_sequence;
}

bool RunWatcher::Opener::IsWanted() const {
  MutexLock lock(link_->mutex);
  return link_->watcher != nullptr && !link_->finished;
}

void RunWatcher::Opener::Open(absl::StatusOr<std::shared_ptr<RunFeed>> feed) const {
  const int64_t subscription = feed.ok() ? (*feed)->Subscribe([link = link_] { Step(*link); }) : 0;
  bool has_gone = false;
  {
    MutexLock lock(link_->mutex);
    has_gone = link_->watcher == nullptr;
    if (!feed.ok()) {
      link_->failed = feed.status();
    } else if (!has_gone) {
      link_->feed = *feed;
      link_->subscription = subscription;
    }
  }
  if (!has_gone) return Step(*link_);
  if (feed.ok()) (*feed)->Unsubscribe(subscription);
}

void RunWatcher::Step(Link& link) {
  RunWatcher* watcher = nullptr;
  bool write = false;
  grpc::Status end;
  {
    MutexLock lock(link.mutex);
    if (link.watcher == nullptr || link.writing || link.finished) return;
    watcher = link.watcher;
    if (link.cancelled) {
      link.finished = true;
      end = grpc::Status(grpc::StatusCode::CANCELLED, "the watcher has gone");
    } else if (!link.failed.ok()) {
      link.finished = true;
      end = ToGrpc(link.failed);
    } else if (auto next = link.feed == nullptr ? std::nullopt : link.feed->Next(link.cursor)) {
      watcher->response_ = *std::move(next);
      link.writing = write = true;
    } else if (link.feed != nullptr && link.cursor.finished) {
      link.finished = true;
    } else {
      return;
    }
  }
  if (write) {
    watcher->StartWrite(&watcher->response_);
  } else {
    watcher->Finish(end);
  }
}

void RunWatcher::OnWriteDone(bool ok) {
  const std::shared_ptr<Link> link = link_;
  {
    MutexLock lock(link->mutex);
    link->writing = false;
    if (!ok) link->cancelled = true;
  }
  Step(*link);
}

void RunWatcher::OnCancel() {
  const std::shared_ptr<Link> link = link_;
  {
    MutexLock lock(link->mutex);
    link->cancelled = true;
  }
  Step(*link);
}

void RunWatcher::OnDone() {
  std::shared_ptr<RunFeed> feed;
  int64_t subscription = 0;
  {
    MutexLock lock(link_->mutex);
    link_->watcher = nullptr;
    feed = std::move(link_->feed);
    subscription = link_->subscription;
  }
  if (feed != nullptr) feed->Unsubscribe(subscription);
  delete this;
}

}  // namespace tidemill::supervisor

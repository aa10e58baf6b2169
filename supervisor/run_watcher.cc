#include "supervisor/run_watcher.h"

#include <utility>

namespace tidemill::supervisor {

RunWatcher::RunWatcher(std::shared_ptr<RunFeed> feed, int64_t after_sequence)
    : feed_(std::move(feed)), link_(std::make_shared<Link>()) {
  {
    MutexLock lock(link_->mutex);
    link_->watcher = this;
    link_->cursor.after_sequence = after_sequence;
  }
  // The wake owns neither the watcher nor, through it, the feed that owns the wake.
  subscription_ = feed_->Subscribe([link = link_, weak = std::weak_ptr<RunFeed>(feed_)] {
    if (const auto alive = weak.lock()) Step(*link, *alive);
  });
  Step(*link_, *feed_);
}

void RunWatcher::Step(Link& link, RunFeed& feed) {
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
    } else if (auto next = feed.Next(link.cursor)) {
      watcher->response_ = *std::move(next);
      link.writing = write = true;
    } else if (link.cursor.finished) {
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
  const std::shared_ptr<RunFeed> feed = feed_;
  {
    MutexLock lock(link->mutex);
    link->writing = false;
    if (!ok) link->cancelled = true;
  }
  Step(*link, *feed);
}

void RunWatcher::OnCancel() {
  const std::shared_ptr<Link> link = link_;
  const std::shared_ptr<RunFeed> feed = feed_;
  {
    MutexLock lock(link->mutex);
    link->cancelled = true;
  }
  Step(*link, *feed);
}

void RunWatcher::OnDone() {
  feed_->Unsubscribe(subscription_);
  {
    MutexLock lock(link_->mutex);
    link_->watcher = nullptr;
  }
  delete this;
}

}  // namespace tidemill::supervisor

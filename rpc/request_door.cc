#include "rpc/request_door.h"

#include <utility>

namespace tidemill::rpc {

void RequestDoor::Enter(std::weak_ptr<Visitor> visitor) {
  {
    MutexLock lock(mutex_);
    waiting_.push_back(std::move(visitor));
  }
  AdmitNext();
}

void RequestDoor::Leave() {
  {
    MutexLock lock(mutex_);
    --num_inside_;
  }
  AdmitNext();
}

void RequestDoor::AdmitNext() {
  while (true) {
    std::shared_ptr<Visitor> next;
    {
      MutexLock lock(mutex_);
      if (waiting_.empty() || num_inside_ == kMaxAtOnce) return;
      next = waiting_.front().lock();
      waiting_.pop_front();
      if (next == nullptr) continue;
      ++num_inside_;
    }
    if (next->OnAdmitted()) continue;
    MutexLock lock(mutex_);
    --num_inside_;
  }
}

}  // namespace tidemill::rpc

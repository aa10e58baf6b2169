// Admits the requests of streams, a few at a time.
#pragma once

#include <deque>
#include <memory>

#include "base/mutex.h"

namespace tidemill::rpc {

// A visitor at the door has sent headers only. The rest of its request waits with the caller by
// HTTP/2's flow control, except for the 64 KiB of a stream's first window. Thread-safe.
class RequestDoor {
 public:
  class Visitor {
   public:
    virtual ~Visitor() = default;
    // Begins to read the request, and leaves the door once the request is read. Returns false when
    // the caller has gone.
    virtual bool OnAdmitted() = 0;
  };

  static constexpr int kMaxAtOnce = 8;

  // Calls OnAdmitted() when there is room, perhaps at once, in the order of arrival.
  void Enter(std::weak_ptr<Visitor> visitor) ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void AdmitNext() ABSL_LOCKS_EXCLUDED(mutex_);

  Mutex mutex_;
  int num_inside_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<std::weak_ptr<Visitor>> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::rpc

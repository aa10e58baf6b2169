// Keeps the processes of one group at the wanted number, on its own thread.
//
//   every 0.5 s:  wanted() --+
//                 members() -+--> PlanSteps() --> Engine::Start, End; drain()
//                 List() ----+
//
// While the engine does not answer, nothing changes, and the log says so once. A process that ends
// again and again, without having registered, is started ever more slowly, up to once a minute.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/periodic_task.h"
#include "engine/backend.h"
#include "engine/engine.h"
#include "engine/reconciler.h"
#include "tidemill/rpc/v1/engine.pb.h"

namespace tidemill::engine {

// What the service of a group knows and does. Called on the keeper's thread.
struct GroupService {
  // The number that is wanted now.
  std::function<int64_t()> wanted;
  // The members of the group that are there.
  std::function<std::vector<KnownMember>()> members;
  // Lets a member take no more work.
  std::function<absl::Status(const KnownMember&)> drain;
  Surplus surplus = Surplus::kAny;
};

// Thread-safe.
class GroupKeeper {
 public:
  // Opens the engine on the thread that uses it, and begins at once. `backend` is copied.
  GroupKeeper(BackendSpec backend, Stack stack, Group group, GroupService service);

  // What there is, for people to see.
  rpc::v1::EngineGroup Describe() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status Step() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Carry(const Steps& steps, const std::vector<Started>& started,
                     const std::vector<KnownMember>& members);
  // Returns whether anything may be started now.
  bool MayStart() const;
  void NoteEnded(const std::vector<KnownMember>& members) ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteError(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);

  const BackendSpec backend_;
  const Stack stack_;
  const Group group_;
  const GroupService service_;
  // These belong to the thread.
  std::unique_ptr<Engine> engine_;
  int num_failed_ = 0;
  std::chrono::steady_clock::time_point start_at_ = {};

  mutable Mutex mutex_;
  rpc::v1::EngineGroup described_ ABSL_GUARDED_BY(mutex_);

  std::unique_ptr<PeriodicTask> steps_;  // The last member: it uses all above.
};

}  // namespace tidemill::engine

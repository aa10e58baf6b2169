// The members that run jobs, and the slots that jobs have there.
//
//   Register, Beat ---> members      Acquire --> waiting --> given --> Release
//                          |                        ^          |
//                          `-- silent: lost --------+----------'  the job asks again
//
// Everything but the time when a member was last seen is in the database before it is answered. A
// supervisor that restarts finds the leases that its predecessor gave.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/time.h"
#include "db/database.h"
#include "engine/reconciler.h"
#include "supervisor/pool/placement.h"
#include "supervisor/pool/slot_queue.h"

namespace tidemill::supervisor {

// The slots of a job, and where they are.
struct Lease {
  // Grows with each lease of a job, so that what an earlier one does can be refused.
  int64_t placement_id = 0;
  std::string member_name;
  std::string endpoint;
  std::vector<std::string> devices;
  // A stop is requested when the lease is over although the job was not released.
  std::stop_token over;
};

// The clocks of a pool: one for what is recorded, one for silence; and how often
// the caller of a job that waits gets the reason.
struct PoolClock {
  std::function<Timestamp()> wall = Now;
  std::function<rpc::Member::Clock::time_point()> steady = rpc::Member::Clock::now;
  std::chrono::milliseconds tell_every{1'000};
};

// Thread-safe. Beat() never waits for PostgreSQL.
class Pool {
 public:
  // Called while a job waits, with the reason.
  using Waiting = std::function<void(const std::string& waits_for)>;

  // Reads what an earlier supervisor has left. The members that it knew count as seen now.
  // `database` must outlive this object.
  static absl::StatusOr<std::unique_ptr<Pool>> Open(db::Database& database, Duration member_timeout,
                                                    PoolClock clock = {});

  // These implement the RPCs of pool.proto.
  absl::StatusOr<v1::RegisterMemberResponse> Register(const v1::RegisterMemberRequest& request)
      ABSL_LOCKS_EXCLUDED(writing_, mutex_);
  absl::StatusOr<v1::BeatResponse> Beat(const v1::BeatRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<v1::Member> Drain(const std::string& name, bool draining)
      ABSL_LOCKS_EXCLUDED(writing_, mutex_);
  v1::GetPoolResponse Get() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<v1::ListPlacementsResponse> ListPlacements(RunId run);

  // Returns the lease of a job, which waits for its turn. A job that has a lease gets the same one.
  // A run has one job at a time: those before it lose their slots. CANCELLED after a stop; the job
  // then keeps its place in the queue until it asks again or is released. UNAVAILABLE when the
  // database does not answer.
  absl::StatusOr<Lease> Acquire(const SlotRequest& request, const std::stop_token& stop,
                                const Waiting& waiting) ABSL_LOCKS_EXCLUDED(writing_, mutex_);

  // Ends the lease of a job, or its wait. Does nothing when it has none.
  absl::Status Release(const JobKey& job, const std::string& reason)
      ABSL_LOCKS_EXCLUDED(writing_, mutex_);
  // Does the same for all jobs of a run.
  absl::Status ReleaseRun(RunId run, const std::string& reason)
      ABSL_LOCKS_EXCLUDED(writing_, mutex_);

  // Returns the endpoint at which a job has slots.
  std::optional<std::string> PlaceOf(const JobKey& job) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the endpoints of the trainer servers that are alive.
  std::vector<std::string> TrainerEndpoints() ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the members of a kind that an engine has started in this group, and that are not lost.
  // One with a job is busy.
  std::vector<engine::KnownMember> StartedMembers(const std::string& group)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the number of jobs that wait for a member of this kind.
  int64_t CountWaiting(v1::MemberKind kind) ABSL_LOCKS_EXCLUDED(mutex_);
  // Sets what else the reason says for which jobs wait for a member of this kind: what the engine
  // does about it.
  void SetNote(v1::MemberKind kind, const std::string& note) ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives up silent members and serves those that wait. Call it every second or so.
  absl::Status Tick() ABSL_LOCKS_EXCLUDED(writing_, mutex_);

 private:
  Pool(db::Database& database, Duration member_timeout, PoolClock clock);

  absl::Status Recover() ABSL_LOCKS_EXCLUDED(writing_, mutex_);
  // Ends the placements of a run's other jobs.
  absl::Status EndOthers(const JobKey& kept, const std::string& reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_) ABSL_LOCKS_EXCLUDED(mutex_);
  // Adds a job to the queue, or finds it there. Returns its placement.
  absl::StatusOr<int64_t> Ask(const SlotRequest& request) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives slots to those that wait, as long as there are some.
  absl::Status Serve() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends placements. Their leases are over.
  absl::Status End(const std::vector<int64_t>& placements, const std::string& reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the leases of incarnations that are over or lost, and writes the losses.
  absl::Status EndLeasesOfLost() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status ForgetLost() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_) ABSL_LOCKS_EXCLUDED(mutex_);
  Lease LeaseOf(const Placement& placement) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns why a placement waits, with the engine's note.
  std::string WhyItWaits(const Placement& placement, Timestamp now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  v1::Member Describe(const PoolMember& member) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  v1::Placement Describe(const Placement& placement, Timestamp now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  db::Database& database_;
  const Duration member_timeout_;
  const PoolClock clock_;
  // Held while a decision is made and written. Only its holder changes the queue.
  Mutex writing_ ABSL_ACQUIRED_BEFORE(mutex_);
  Mutex mutex_;
  CondVar changed_;
  PoolMembers members_ ABSL_GUARDED_BY(mutex_){"member"};
  SlotQueue queue_ ABSL_GUARDED_BY(mutex_);
  // By placement.
  std::map<int64_t, std::stop_source> leases_ ABSL_GUARDED_BY(mutex_);
  std::map<v1::MemberKind, std::string> notes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::supervisor

// The runs that this process conducts, and the feeds that their watchers read.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "db/database.h"
#include "supervisor/conductor/conductor.h"
#include "supervisor/pool/pool.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/run_feed.h"
#include "supervisor/runs/stored_runs.h"

namespace tidemill::supervisor {

// Owns the conductors: at most one per run, which takes the run over from the conductor of any
// earlier process. The destructor ends their work, not the runs. The lock is not held while a
// thread ends or during SQL. Thread-safe.
class ConductedRuns {
 public:
  // `connect` makes the connections of each run. `database`, `pool` and `runs` must outlive
  // this object.
  ConductedRuns(db::Database& database, DownstreamFactory connect, Pool& pool,
                const StoredRuns& runs);

  // Continues every run that was RUNNING when the process ended.
  absl::Status Recover() ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the conductors' work. The runs stay RUNNING and continue after Recover(). Watchers get no
  // final message.
  void Shutdown() ABSL_LOCKS_EXCLUDED(mutex_);

  // Starts to conduct the run. With `feed`, its watchers continue with the feed of an earlier
  // conductor. Forgets the conductors of other runs that have ended.
  void Conduct(RunId run, std::shared_ptr<RunFeed> feed = nullptr) ABSL_LOCKS_EXCLUDED(mutex_);
  // Does nothing when the run is conducted already. A second conductor would take the run from the
  // first one and leave its watchers waiting forever.
  void ConductIfIdle(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the work of the run's conductor, if it has one, and returns its feed. Otherwise returns
  // nullptr.
  std::shared_ptr<RunFeed> End(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the feed of a run that is conducted or watched already, otherwise nullptr. Does not
  // wait for the database.
  std::shared_ptr<RunFeed> OpenFeed(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the feed of a run, if needed from the database. NOT_FOUND when the run is unknown.
  absl::StatusOr<std::shared_ptr<RunFeed>> Watch(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);
  // Tells later watchers that the run was deleted.
  void Forget(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Conducted {
    std::shared_ptr<RunFeed> feed;
    std::unique_ptr<Conductor> conductor;
  };

  // Moves the conductors that it forgets to `finished`.
  void ConductLocked(RunId run, std::shared_ptr<RunFeed> feed, std::vector<Conducted>& finished)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  db::Database& database_;
  const DownstreamFactory connect_;
  Pool& pool_;
  const StoredRuns& runs_;
  Mutex mutex_;
  std::map<RunId, Conducted> conducted_ ABSL_GUARDED_BY(mutex_);
  // The feeds of runs that are not conducted but watched.
  std::map<RunId, std::weak_ptr<RunFeed>> ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::supervisor

// Decides how many workers there should be, and has the engine start and end them.
//
//   dispatcher --totals of jobs--> WorkerDemand --wanted--> GroupKeeper --> the engine
//                                       |                       ^
//                     scaling_decisions (a row a change)        `-- workers that are there
//
// With `scale: 4` there is nothing to decide: four are kept. Without an engine the number is only
// told, to whoever scales the workers (external_scaler.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/periodic_task.h"
#include "db/database.h"
#include "engine/engine_config.h"
#include "engine/group_keeper.h"
#include "preprocess/scaling/worker_demand.h"
#include "rpc/service_main.h"
#include "tidemill/preprocess/v1/scaling.pb.h"

namespace tidemill::preprocess {

// Where workers come from: the engine, and what it starts.
struct WorkerEngine {
  engine::BackendSpec backend;
  engine::Stack stack;
  engine::Group group;
};

// What the dispatcher knows and does. Called on threads of the scaling.
struct ScaledWorkers {
  // What each job's consumers took and its workers made.
  std::function<std::vector<JobTotals>()> jobs;
  // The mean over the workers that take work; std::nullopt when there are none.
  std::function<std::optional<double>()> threads_per_worker;
  // The workers that the engine has started in this group.
  std::function<std::vector<engine::KnownMember>(const std::string& group)> members;
  // Lets a worker take no more work.
  std::function<absl::Status(int64_t worker_id)> drain;
};

// Thread-safe.
class WorkerScaling {
 public:
  // Continues with the number of the last decision. `database` must outlive this object.
  static absl::StatusOr<std::unique_ptr<WorkerScaling>> Start(ScaledWorkers workers,
                                                              db::Database& database,
                                                              const engine::WorkersConfig& config,
                                                              std::optional<WorkerEngine> engine);

  int64_t wanted() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether a job waits for workers, or has some.
  bool HasJobs() const { return !workers_.jobs().empty(); }
  // What the engine does; std::nullopt without one.
  std::optional<rpc::v1::EngineGroup> DescribeEngine() const;
  // Returns the last changes, the latest first.
  absl::StatusOr<std::vector<v1::ScalingDecision>> Decisions(int most);

 private:
  WorkerScaling(ScaledWorkers workers, db::Database& database, const engine::WorkersConfig& config,
                int64_t wanted);
  absl::Status Step() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Record(const DemandChange& change);

  const ScaledWorkers workers_;
  db::Database& database_;
  const engine::WorkersConfig config_;
  mutable Mutex mutex_;
  WorkerDemand demand_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<engine::GroupKeeper> keeper_;
  std::unique_ptr<PeriodicTask> steps_;  // The last member: it uses all above.
};

// Returns the engine that the configuration of a stack names for workers; std::nullopt when it has
// no section `engine`. On this host there are no more workers than `config` allows and processors
// suffice for.
absl::StatusOr<std::optional<WorkerEngine>> WorkerEngineOf(const rpc::ServiceContext& context,
                                                           engine::WorkersConfig& config);

}  // namespace tidemill::preprocess

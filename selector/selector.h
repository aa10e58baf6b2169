// Chooses the samples of each trigger and seals them.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "batch/batch.h"
#include "db/database.h"
#include "selector/sealing.h"
#include "selector/selector_config.h"
#include "selector/training_set_history.h"
#include "selector/training_sets_table.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// Training sets live in `<folder>/<run>/<trigger>.batch`, one row each in selector.training_sets;
// the keys of the samples that came late stand beside them in `<trigger>.late.batch`, and beside
// the newest set of a run, in `<trigger>.chosen`, the keys that any of its sets holds. A set is
// sealed once and never changes. Thread-safe: the state is the database's and the files'.
class Selector {
 public:
  // `folder` exists and nobody else writes there. `worker_program`: for policies that choose in
  // processes of their own; see Workplace.
  Selector(db::Database& database, std::string folder, Sources sources,
           const SelectorConfig& config = {}, std::string worker_program = "");

  // Removes what sealings left behind that were cut off. Before any other call.
  absl::Status RemoveLeftovers();

  // Chooses and seals, or returns what was sealed before for the same run and trigger, or waits
  // until it is sealed where that is under way.
  // INVALID_ARGUMENT for a policy that does not decode; FAILED_PRECONDITION for a run epoch that
  // another supervisor has passed.
  absl::StatusOr<v1::TrainingSet> Seal(const v1::SealTrainingSetRequest& request);

  // NOT_FOUND before the set is sealed.
  absl::StatusOr<v1::TrainingSet> Get(RunId run, int64_t trigger);

  // Those of a run, by trigger.
  absl::StatusOr<std::vector<v1::TrainingSet>> List(RunId run);

  // How two sets of one dataset differ. NOT_FOUND as Read(); FAILED_PRECONDITION for sets of
  // different datasets.
  absl::StatusOr<v1::CompareTrainingSetsResponse> Compare(
      const v1::CompareTrainingSetsRequest& request);

  // All entries in the order of ordinals, columns `key` and, if weighted, `weight`. NOT_FOUND
  // before the set is sealed; DATA_LOSS when the file does not match its digest.
  absl::StatusOr<batch::Batch> Read(RunId run, int64_t trigger);

  // The keys that the set's record of late samples holds, in the order (event time, key), as column
  // `key`. Errors as of Read(); the record outlives the entries.
  absl::StatusOr<batch::Batch> ReadLate(RunId run, int64_t trigger);

  // Removes the entries of the run's sets before a trigger; returns of how many.
  absl::StatusOr<int64_t> Retire(const rpc::v1::Command& command, int64_t first_kept_trigger);

  // Forgets the training sets of the command's run; returns how many there were.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  class Turn;
  // What was sealed before for the trigger, if anything was; else the sets before it.
  struct Found {
    std::optional<v1::TrainingSet> sealed;
    std::vector<TrainingSetRow> before;
  };

  // FAILED_PRECONDITION as Seal().
  absl::StatusOr<Found> Find(const v1::SealTrainingSetRequest& request);
  absl::StatusOr<v1::TrainingSet> Commit(const v1::SealTrainingSetRequest& request,
                                         Unsealed& unsealed);
  absl::Status RemoveChosenBefore(RunId run, int64_t trigger);
  std::string FolderOf(RunId run) const;
  TriggerPaths PathsOfTrigger(RunId run, int64_t trigger) const;

  db::Database& database_;
  const std::string folder_;
  const Sources sources_;
  const std::unique_ptr<WorkerPool> pool_;  // nullptr for one thread.
  const SealingPlace place_;
  Mutex mutex_;
  CondVar done_;
  // The runs and triggers whose sets are being chosen.
  std::set<std::pair<int64_t, int64_t>> under_way_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::selector

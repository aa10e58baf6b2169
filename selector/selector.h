// Chooses the samples of each trigger and seals them as a training set.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "batch/batch.h"
#include "db/database.h"
#include "selector/remembered_listing.h"
#include "selector/sealing.h"
#include "selector/selector_config.h"
#include "selector/set_search.h"
#include "selector/training_set_history.h"
#include "selector/training_sets_table.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// A training set is the file `<folder>/<run>/<trigger>.batch` and a row in selector.training_sets.
// Beside it, `<trigger>.late.batch` holds the keys of the samples that came late. Beside the newest
// set of a run, `<trigger>.chosen` holds the keys that any of the run's sets holds. A set is sealed
// once and never changes. Thread-safe: the state is in the database and in the files.
class Selector {
 public:
  // `folder` must exist, and no other process may write there. `worker_program` is for policies
  // that choose in their own processes; see Workplace.
  Selector(db::Database& database, std::string folder, Sources sources,
           const SelectorConfig& config = {}, std::string worker_program = "");

  // Removes the files of sealings that were interrupted. Call it before any other method.
  absl::Status RemoveLeftovers();

  // Chooses and seals a training set. If the set of that run and trigger is sealed already, returns
  // it. If another call is sealing it, waits and returns it. INVALID_ARGUMENT when the policy does
  // not decode. FAILED_PRECONDITION when another supervisor has passed the run epoch.
  absl::StatusOr<v1::TrainingSet> Seal(const v1::SealTrainingSetRequest& request);

  // NOT_FOUND before the set is sealed.
  absl::StatusOr<v1::TrainingSet> Get(RunId run, int64_t trigger);

  // Returns the training sets of a run, ordered by trigger.
  absl::StatusOr<std::vector<v1::TrainingSet>> List(RunId run);

  // Compares two training sets of one dataset. NOT_FOUND as in Read(). FAILED_PRECONDITION when the
  // sets are of different datasets.
  absl::StatusOr<v1::CompareTrainingSetsResponse> Compare(
      const v1::CompareTrainingSetsRequest& request);

  // Returns all entries in the order of ordinals. The columns are `key` and, if the set is
  // weighted, `weight`. NOT_FOUND before the set is sealed. DATA_LOSS when the file does not match
  // its digest.
  absl::StatusOr<batch::Batch> Read(RunId run, int64_t trigger);

  // Returns the keys in the set's record of late samples, in the order (event time, key), as the
  // column `key`. Returns the errors of Read(). The record outlives the entries.
  absl::StatusOr<batch::Batch> ReadLate(RunId run, int64_t trigger);

  // Finds the training sets of a dataset that hold some of the samples; see FindSets().
  absl::Status FindTrainingSets(DatasetId dataset, std::span<const int64_t> keys,
                                const MatchSink& sink);

  // Removes the entries of the run's sets before a trigger. Returns the number of these sets.
  absl::StatusOr<int64_t> Retire(const rpc::v1::Command& command, int64_t first_kept_trigger);

  // Deletes the training sets of the command's run. Returns their number.
  absl::StatusOr<int64_t> DeleteRun(const rpc::v1::Command& command);

 private:
  class Turn;
  // The set that was sealed before for the trigger, if there is one. Otherwise the sets before it.
  struct Found {
    std::optional<v1::TrainingSet> sealed;
    std::vector<TrainingSetRow> before;
  };

  // FAILED_PRECONDITION as in Seal().
  absl::StatusOr<Found> Find(const v1::SealTrainingSetRequest& request);
  absl::StatusOr<v1::TrainingSet> Commit(const v1::SealTrainingSetRequest& request,
                                         Unsealed& unsealed);
  absl::Status RemoveChosenBefore(RunId run, int64_t trigger);
  std::string FolderOf(RunId run) const;
  TriggerPaths PathsOfTrigger(RunId run, int64_t trigger) const;

  db::Database& database_;
  const std::string folder_;
  const Sources sources_;
  const std::unique_ptr<WorkerPool> pool_;  // nullptr when there is one thread.
  RememberedListings listings_;
  plugin::HostsOfRuns hosts_;
  const SealingPlace place_;
  Mutex mutex_;
  CondVar done_;
  // The runs and triggers whose sets are being chosen.
  std::set<std::pair<int64_t, int64_t>> under_way_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::selector

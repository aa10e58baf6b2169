// Chooses the samples of each trigger and seals them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "base/worker_pool.h"
#include "batch/batch.h"
#include "db/database.h"
#include "selector/selector_config.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::selector {

// Streams the keys and event times of an interval, as StorageClient::ListSamples does.
using SampleLister = std::function<absl::Status(const storage::v1::ListSamplesRequest&,
                                                const std::function<absl::Status(batch::Batch)>&)>;

// Training sets live in `<folder>/<run>/<trigger>.batch`, one row each in selector.training_sets;
// the keys of the samples that came late stand beside them in `<trigger>.late.batch`.
// A set is sealed once and never changes. Thread-safe: the state is the database's and the files'.
class Selector {
 public:
  // `folder` exists and nobody else writes there.
  Selector(db::Database& database, std::string folder, SampleLister list_samples,
           const SelectorConfig& config = {});

  // Removes what sealings left behind that were cut off. Before any other call.
  absl::Status RemoveLeftovers();

  // Chooses and seals, or returns what was sealed before for the same run and trigger.
  // INVALID_ARGUMENT for a policy that does not decode; FAILED_PRECONDITION for a run epoch that
  // another supervisor has passed.
  absl::StatusOr<v1::TrainingSet> Seal(const v1::SealTrainingSetRequest& request);

  // NOT_FOUND before the set is sealed.
  absl::StatusOr<v1::TrainingSet> Get(RunId run, int64_t trigger);

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
  // A set and its late samples, written but not yet where they are found.
  struct Unsealed;

  // What was sealed before, if anything was; else FAILED_PRECONDITION as Seal().
  absl::StatusOr<std::optional<v1::TrainingSet>> FindSealed(
      const v1::SealTrainingSetRequest& request);
  absl::Status Write(const v1::SealTrainingSetRequest& request, Unsealed& unsealed);
  absl::StatusOr<v1::TrainingSet> Commit(const v1::SealTrainingSetRequest& request,
                                         Unsealed& unsealed);
  std::string FolderOf(RunId run) const;
  std::string PathOf(RunId run, int64_t trigger) const;
  std::string LatePathOf(RunId run, int64_t trigger) const;

  db::Database& database_;
  const std::string folder_;
  const SampleLister list_samples_;
  const int64_t memory_budget_;
  const std::unique_ptr<WorkerPool> pool_;  // nullptr for one thread.
};

}  // namespace tidemill::selector

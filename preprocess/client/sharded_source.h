// A training set in shards, each prepared by one worker, as one source of batches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/interleave.h"
#include "preprocess/client/dispatcher_client.h"
#include "preprocess/client/set_division.h"
#include "preprocess/client/worker_source.h"

namespace tidemill::preprocess {

// All lanes of a job of shards, read side by side. Workers may come and go: a shard whose worker is
// gone is taken over by another one. Next() belongs to one thread, counters() to any.
class ShardedSource : public loader::BatchSource {
 public:
  // `job` has shards, `division` is of its set, which `parts` holds. Gives what is left of the plan
  // once `first_batch` batches, over all shards and epochs, were given. The bytes and workers of
  // `options` are those of all shards together. Fails as WorkerSource::Open() and
  // loader::BatchMaker::Create() do.
  static absl::StatusOr<std::unique_ptr<ShardedSource>> Open(const JobSpec& job,
                                                             const std::string& fitted,
                                                             const loader::BatchParts& parts,
                                                             const SetDivision& division,
                                                             const loader::BatchPlan& plan,
                                                             const WorkerSourceOptions& options);
  // Ends the job.
  ~ShardedSource() override;

  int64_t num_samples() const override { return batches_->num_samples(); }
  int64_t num_batches() const override { return batches_->num_batches(); }
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override { return batches_->Next(); }
  loader::PathWork work() const override;

  // By shard; nothing is counted of a shard that has no batches left.
  std::vector<WorkerSourceCounters> counters() const;

 private:
  explicit ShardedSource(const rpc::Peer& dispatcher) : dispatcher_(dispatcher) {}

  DispatcherClient dispatcher_;
  std::string job_name_;
  int64_t job_id_ = 0;
  // Owned by `batches_`; nullptr for a shard that has no batches left.
  std::vector<WorkerSource*> shards_;
  std::unique_ptr<loader::InterleavedSource> batches_;
};

}  // namespace tidemill::preprocess

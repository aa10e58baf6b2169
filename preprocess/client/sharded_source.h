// A training set in shards as one source of batches. One worker prepares each shard.
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
#include "preprocess/client/job_charges.h"
#include "preprocess/client/set_division.h"
#include "preprocess/client/worker_source.h"

namespace tidemill::preprocess {

// Reads all lanes of a job with shards in parallel. Workers may join and leave: another worker
// takes over the shard of a worker that has left. Next() belongs to one thread; counters() may be
// called by any.
class ShardedSource : public loader::BatchSource {
 public:
  // `job` has shards, and `division` is of its set, which is in `parts`. Returns the rest of the
  // plan after the first `first_batch` batches over all shards and epochs. The bytes and workers of
  // `options` apply to all shards together, and no
  // thread here makes batches. Returns the errors of WorkerSource::Open() and
  // loader::BatchMaker::Create().
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

  // Returns the counters of each shard. A shard that has no batches left counts nothing.
  std::vector<WorkerSourceCounters> counters() const;

 private:
  explicit ShardedSource(const rpc::Peer& dispatcher) : dispatcher_(dispatcher) {}

  DispatcherClient dispatcher_;
  const std::shared_ptr<JobCharges> charges_ = std::make_shared<JobCharges>();
  std::string job_name_;
  int64_t job_id_ = 0;
  // `batches_` owns them. nullptr for a shard that has no batches left.
  std::vector<WorkerSource*> shards_;
  std::unique_ptr<loader::InterleavedSource> batches_;
};

}  // namespace tidemill::preprocess

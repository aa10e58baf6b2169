// Decides which samples each lane of a job gets, when the job mixes sources or has shards.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "loader/batches/batch_maker.h"
#include "loader/interleave.h"
#include "loader/plan/subset.h"
#include "loader/sample_sources.h"
#include "preprocess/client/job_spec.h"

namespace tidemill::preprocess {

// A job's set, divided into shards, or whole. The plans that it returns share it.
struct SetDivision {
  // The subset of each shard. For a set in one piece, the chosen samples, or nullptr for all.
  std::vector<std::shared_ptr<const loader::Subset>> shards = {nullptr};
  // The sources of each shard. nullptr without a mix.
  std::vector<std::shared_ptr<const loader::SampleSources>> sources = {nullptr};
};

// Divides the part of the set that a job uses, by the facts that storage has about its samples. The
// job takes the `chosen` samples only, unless they are nullptr. The result is the same in every
// process. INVALID_ARGUMENT when the set cannot be divided this way (see loader/sample_sources.h),
// when the lanes of the job are not its shards, or for shards of chosen samples.
absl::StatusOr<SetDivision> DivideSet(const JobSpec& job, const loader::TrainingSet& set,
                                      std::shared_ptr<const loader::Subset> chosen,
                                      const storage::StorageClient& storage);

// Returns `plan`, which is for the whole set, for one shard of it. For shard 0 of a set in one
// piece, it is the plan with its sources.
loader::BatchPlan PlanOf(const SetDivision& division, const loader::BatchPlan& plan, size_t shard);

// Returns the plan of a lane.
loader::BatchPlan PlanOf(const JobSpec& job, const SetDivision& division, int64_t lane);

// The shards of a set as lanes. Their batches take turns.
struct ShardLanes {
  // The plan of each shard. It begins with the rest of the shard after the first `first_batch`
  // batches of all shards.
  std::vector<loader::BatchPlan> plans;
  // For each shard, the end of its batches, counted through all epochs.
  std::vector<int64_t> ends;
  loader::Interleave interleave;
  // The number of samples of an epoch.
  int64_t num_samples = 0;
};

// `plan` is for the whole set. Its `first_batch` counts the batches of all shards. Returns the
// errors of loader::BatchMaker::Create().
absl::StatusOr<ShardLanes> LanesOf(const SetDivision& division, const loader::BatchParts& parts,
                                   const loader::BatchPlan& plan);

}  // namespace tidemill::preprocess

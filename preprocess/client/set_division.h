// Which samples each lane of a job is made of, where it mixes sources or has shards.
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

// A job's set in its shards, or whole. Shared by the plans that it gives.
struct SetDivision {
  // By shard; one entry, nullptr, for a set in one piece.
  std::vector<std::shared_ptr<const loader::Subset>> shards = {nullptr};
  // By shard; nullptr without a mix.
  std::vector<std::shared_ptr<const loader::SampleSources>> sources = {nullptr};
};

// Divides the part of the sealed set that a job is about, with what storage knows of its samples:
// the same in every process. INVALID_ARGUMENT when the set cannot be divided so (see
// loader/sample_sources.h), and for shards together with lanes that are something else.
absl::StatusOr<SetDivision> DivideSet(const JobSpec& job, const loader::TrainingSet& set,
                                      const storage::StorageClient& storage);

// `plan`, which is of the whole set, for one shard of it; for shard 0 of a set in one piece the
// plan with its sources.
loader::BatchPlan PlanOf(const SetDivision& division, const loader::BatchPlan& plan, size_t shard);

// The plan of a lane.
loader::BatchPlan PlanOf(const JobSpec& job, const SetDivision& division, int64_t lane);

// The shards of a set as lanes, whose batches come in turn.
struct ShardLanes {
  // By shard: each begins with what is left of it once the `first_batch` of all were given.
  std::vector<loader::BatchPlan> plans;
  // By shard: where its batches, counted through all epochs, end.
  std::vector<int64_t> ends;
  loader::Interleave interleave;
  // Of an epoch.
  int64_t num_samples = 0;
};

// `plan` is of the whole set; its `first_batch` counts the batches of all shards. Fails as
// loader::BatchMaker::Create() does.
absl::StatusOr<ShardLanes> LanesOf(const SetDivision& division, const loader::BatchParts& parts,
                                   const loader::BatchPlan& plan);

}  // namespace tidemill::preprocess

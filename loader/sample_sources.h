// Decides which samples of a training set belong to which source of a mix, and to which shard. The
// decisions are pure functions of the set, the facts about its samples, and the spec.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "loader/plan/subset.h"
#include "loader/sample_facts.h"
#include "loader/training_set.h"
#include "models/training/mix_spec.h"

namespace tidemill::loader {

// The samples of an epoch by source, for a mix.
struct SampleSources {
  struct Source {
    double weight = 1;
    // Ascending; at least one. They are ordinals of the set or, in a plan with a subset, positions
    // in the subset.
    std::vector<int64_t> ordinals = {};
  };

  models::MixMode mode = models::MixMode::kStratified;
  std::vector<Source> sources = {};
};

// Divides a set, or its `subset` unless that is nullptr, into the sources of a mix. A sample that
// storage does not know belongs to the last source, whatever its condition. INVALID_ARGUMENT, with
// an example, when a sample belongs to no source, and when a source has no samples.
absl::StatusOr<SampleSources> DivideIntoSources(const TrainingSet& set, const SampleFacts& facts,
                                                const Subset* subset, const models::Mix& mix);

// Divides a set into shards so that no file is in two shards. The largest remaining file goes to
// the shard with the fewest samples. Among files of equal size, the first path comes first.
// INVALID_ARGUMENT when there are fewer files than shards.
absl::StatusOr<std::vector<Subset>> ShardByFile(const SampleFacts& facts, int64_t num_shards);

// Divides [0, size) into shards of neighbours whose sizes differ by one at most. INVALID_ARGUMENT
// when there are fewer samples than shards.
absl::StatusOr<std::vector<Subset>> ShardByKey(int64_t size, int64_t num_shards);

}  // namespace tidemill::loader

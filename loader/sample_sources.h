// Which samples of a training set belong to which source of a mix, and which to which shard: pure
// functions of the set, of what is known of its samples, and of the spec.
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

// The samples of an epoch by source, as a maker mixes them.
struct SampleSources {
  struct Source {
    double weight = 1;
    // Ascending, at least one: ordinals of the set, or, in a plan with a subset, places in that.
    std::vector<int64_t> ordinals = {};
  };

  models::MixMode mode = models::MixMode::kStratified;
  std::vector<Source> sources = {};
};

// Divides a set, or the `subset` of it unless that is nullptr, into the sources of a mix. A sample
// that storage does not know belongs to the last source, whatever its condition. INVALID_ARGUMENT,
// with an example, when samples belong to no source, and when a source has none.
absl::StatusOr<SampleSources> DivideIntoSources(const TrainingSet& set, const SampleFacts& facts,
                                                const Subset* subset, const models::Mix& mix);

// Divides a set into shards whose samples lie in different files: the file of the most samples goes
// to the shard of the fewest, of files of as many that of the first path first. INVALID_ARGUMENT
// when there are fewer files than shards.
absl::StatusOr<std::vector<Subset>> ShardByFile(const SampleFacts& facts, int64_t num_shards);

// Divides [0, size) into shards of neighbours, equally large to within one. INVALID_ARGUMENT when
// there are fewer samples than shards.
absl::StatusOr<std::vector<Subset>> ShardByKey(int64_t size, int64_t num_shards);

}  // namespace tidemill::loader

// Answers FindIdentities: what tells the record of a sample from every other one.
#pragma once

#include "base/status.h"
#include "storage/index/sample_index.h"
#include "tidemill/storage/v1/records.pb.h"

namespace tidemill::storage {

// Returns a hash of the bytes, the time and the label of each sample, in the order of `keys`: 0 for
// one that is unknown, deleted or cannot be served. It is never 0 for others. Looks in memory only,
// unless a key is unknown: then the index is brought up to date first. NOT_FOUND when the dataset
// is unknown.
absl::StatusOr<std::vector<uint64_t>> IdentitiesOf(SampleIndex& indexes, DatasetId dataset,
                                                   std::span<const int64_t> keys);

}  // namespace tidemill::storage

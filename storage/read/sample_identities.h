// Answers FindIdentities: what tells the record of a sample from every other one.
#pragma once

#include "base/status.h"
#include "storage/index/sample_index.h"
#include "tidemill/storage/v1/records.pb.h"

namespace tidemill::storage {

// Answers with a hash of the bytes, the time and the label of each sample, in the order of the
// keys: 0 for one that is unknown, deleted or cannot be served. It is never 0 for others. Looks in
// memory only, unless a key is unknown: then the index is brought up to date first.
// INVALID_ARGUMENT for more than 65,536 keys. NOT_FOUND when the dataset is unknown.
absl::Status IdentitiesOf(SampleIndex& indexes, const v1::FindIdentitiesRequest& request,
                          v1::FindIdentitiesResponse& response);

}  // namespace tidemill::storage

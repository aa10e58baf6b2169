// What is recorded of samples when they are deleted.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/index/sample_index.h"

namespace tidemill::storage {

// Returns each key with the identity of its record, by the newest index. Unknown keys have none. A
// column file that is damaged is made again. The codes are those of SampleIndex::Refresh.
absl::StatusOr<std::vector<SampleToDelete>> SamplesToDelete(SampleIndex& indexes, DatasetId dataset,
                                                            std::span<const int64_t> keys);

}  // namespace tidemill::storage

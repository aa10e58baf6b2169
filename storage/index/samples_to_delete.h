// What is recorded of samples when they are deleted.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/index/dataset_index.h"

namespace tidemill::storage {

// Returns each key with the identity of its record. Unknown keys have none. DATA_LOSS as
// DamagedColumns() when a record's hash is not as it was written.
absl::StatusOr<std::vector<SampleToDelete>> SamplesToDelete(const DatasetIndex& index,
                                                            std::span<const int64_t> keys);

}  // namespace tidemill::storage

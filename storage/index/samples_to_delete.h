// Collects what is recorded about samples when they are deleted.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/index/sample_index.h"

namespace tidemill::storage {

// Returns each key with the identity of its record, by the newest index. Unknown keys have no
// identity. A damaged column file is rebuilt. Returns the errors of SampleIndex::Refresh.
absl::StatusOr<std::vector<SampleToDelete>> SamplesToDelete(SampleIndex& indexes, DatasetId dataset,
                                                            std::span<const int64_t> keys);

}  // namespace tidemill::storage

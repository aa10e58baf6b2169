// Reads samples from a file of a dataset, to test an exported model.
#pragma once

#include <string>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::models {

// Returns the first samples of a file in the form of the dataset's files, at most 200, in the
// columns `payload` and `event_time`. Returns the errors of storage::ForeignRecords.
absl::StatusOr<batch::Batch> ReadSampleRows(const storage::DatasetSpec& dataset,
                                            const std::string& file);

}  // namespace tidemill::models

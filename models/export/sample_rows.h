// Reads samples from a file of a dataset, to test an exported model.
#pragma once

#include <string>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::models {

// Returns the first samples of a file in the format of the dataset, at most 200, in a column
// `payload`. The rows of a series are consecutive in the file. The format must be text that is not
// compressed, or a file for each sample: FAILED_PRECONDITION for other formats. NOT_FOUND when
// there is no such file.
absl::StatusOr<batch::Batch> ReadSampleRows(const storage::DatasetSpec& dataset,
                                            const std::string& file);

}  // namespace tidemill::models

// Tries the spec of a dataset on its files before anything is registered.
#pragma once

#include "base/status.h"
#include "storage/spec/dataset_peek.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::storage {

// Looks at a dataset on this process's own disk, with an absolute path. It is for the command line,
// which reads nothing that its user may not read.
//
// It reads with the formats of the ingest. For files of records it tries the beginning, the middle
// and the end of the first file and of the last one. If each file is a sample, it tries 16 of them,
// from the first to the last. For archives it tries the first and the last one, unless they are
// large. Files packed with gzip, xz or zstd are tried at their beginning. Changes nothing.
//
// NOT_FOUND when there is no such folder. INVALID_ARGUMENT when the folder must not be read. All
// other findings are in the result.
absl::StatusOr<DatasetPeek> PeekAtDisk(const DatasetSpec& spec);

}  // namespace tidemill::storage

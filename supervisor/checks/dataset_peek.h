// Reads the beginning of a dataset for a check, which shows whether the spec fits.
#pragma once

#include <functional>

#include "base/status.h"
#include "storage/spec/dataset_peek.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::supervisor {

using storage::DatasetPeek;
using storage::kHeadBytes;

// Reads from a dataset with an absolute path. NOT_FOUND when it does not exist. INVALID_ARGUMENT
// when it may not be read. Other codes when it cannot be read now. The command line reads its own
// disk (storage/trials). A service asks storage, because only storage knows which files may be
// read.
using PeekAtDataset = std::function<absl::StatusOr<DatasetPeek>(const storage::DatasetSpec&)>;

}  // namespace tidemill::supervisor

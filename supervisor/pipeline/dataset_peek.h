// How a check looks at a dataset. What it sees shows whether the spec fits.
#pragma once

#include <functional>

#include "base/status.h"
#include "storage/client/dataset_peek.h"
#include "storage/client/dataset_spec.h"

namespace tidemill::supervisor {

using storage::DatasetPeek;
using storage::kHeadBytes;

// Looks at a dataset with an absolute path. NOT_FOUND when nothing is there. INVALID_ARGUMENT when
// looking is not allowed. Other codes when looking was not possible now. The command line looks at
// its own disk (storage/trials). A service asks storage, which alone knows what may be read.
using PeekAtDataset = std::function<absl::StatusOr<DatasetPeek>(const storage::DatasetSpec&)>;

}  // namespace tidemill::supervisor

// The beginning of a dataset. It shows whether the spec fits.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "storage/client/dataset_spec.h"

namespace tidemill::supervisor {

// The most bytes in a peek. A smaller file is in it as a whole.
inline constexpr size_t kHeadBytes = size_t{64} << 10;

struct DatasetPeek {
  // Whether it is known which files match the spec's pattern.
  bool files_known = false;
  // The first of these files in the order of paths, below the dataset's folder. Absent when none
  // matches.
  std::optional<std::string> first;
  // Up to kHeadBytes of its beginning as it is on disk, packed or not.
  std::string head;
};

// Looks at a dataset with an absolute path. NOT_FOUND when nothing is there. INVALID_ARGUMENT when
// looking is not allowed. Other codes when looking was not possible now.
using PeekAtDataset = std::function<absl::StatusOr<DatasetPeek>(const storage::DatasetSpec&)>;

// Looks at this process's own disk. It is for the command line, whose user may read everything that
// it reads. A service asks storage instead, which alone knows what may be read.
absl::StatusOr<DatasetPeek> PeekAtDisk(const storage::DatasetSpec& spec);

}  // namespace tidemill::supervisor

// The beginning of a dataset, which tells whether its spec fits.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "storage/client/dataset_spec.h"

namespace tidemill::supervisor {

// A file that shows fewer is shown whole.
inline constexpr size_t kHeadBytes = size_t{64} << 10;

struct DatasetPeek {
  // Whether it is known which files match the spec's pattern.
  bool files_known = false;
  // The first of them in the order of paths, below the dataset's folder; absent when none matches.
  std::optional<std::string> first;
  // Up to kHeadBytes of its beginning as they lie, packed or not.
  std::string head;
};

// Looks at a dataset whose path is absolute. NOT_FOUND when nothing is there; INVALID_ARGUMENT when
// it may not be looked at; other codes when nobody could look now.
using PeekAtDataset = std::function<absl::StatusOr<DatasetPeek>(const storage::DatasetSpec&)>;

// Looks at this process's own disk: for the command line, whose user may read what it reads. A
// service asks storage instead, which alone knows what may be read.
absl::StatusOr<DatasetPeek> PeekAtDisk(const storage::DatasetSpec& spec);

}  // namespace tidemill::supervisor

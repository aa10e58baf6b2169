// Reads an epoch of batches, as a training does.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "loader/batch_source.h"

namespace tidemill::benchmarks {

// Reads all batches of a source and converts them to tensors. Returns the number of samples. Writes
// to `check_file`, unless it is empty, what the runner compares. Returns the errors of the source
// and of loader::ToTensors(); INTERNAL when the file cannot be written.
absl::StatusOr<int64_t> ReadEpoch(loader::BatchSource& source, const std::string& check_file);

}  // namespace tidemill::benchmarks

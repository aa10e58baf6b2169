// A sealed training set on disk. The format is written down in docs/formats/training_set.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::selector {

// What a file holds: entry n has ordinal n.
struct TrainingSetContent {
  std::span<const int64_t> keys;
  // Empty when every weight is 1.
  std::span<const float> weights;
};

// Writes the file, there whole or not at all. Returns its digest in hexadecimal, which depends on
// keys and weights only.
absl::StatusOr<std::string> WriteTrainingSet(const std::string& path,
                                             const TrainingSetContent& content);

// Reads the columns `key` and, if the file has them, `weight`. DATA_LOSS when the bytes do not
// have the digest that stands at their end, or not `digest`; NOT_FOUND when there is no file.
absl::StatusOr<batch::Batch> ReadTrainingSet(const std::string& path, const std::string& digest);

}  // namespace tidemill::selector

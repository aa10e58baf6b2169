// A sealed training set on disk. docs/formats/training_set.md describes the format.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "batch/batch.h"
#include "selector/columns/temporary_file.h"

namespace tidemill::selector {

// Writes a training set entry by entry, and holds no entry in memory. The calls in order:
//
//   Open(weighted), AddKeys()..., AddWeights()... when weighted, Seal(), Publish(path)
//
// The file has no name before Publish(). Thread-compatible.
class TrainingSetWriter {
 public:
  // `folder` must exist, on the same file system as the paths to publish to.
  explicit TrainingSetWriter(std::string folder);

  // Opens the set; `weighted` says whether it has weights. Call it before the first key.
  absl::Status Open(bool weighted);
  // Appends keys. Entry n has ordinal n.
  absl::Status AddKeys(std::span<const int64_t> keys);
  // Appends weights in the order of the keys, after all keys.
  absl::Status AddWeights(std::span<const float> weights);
  // Syncs the file and returns its digest in hexadecimal. The digest depends on the keys and
  // weights only. Opens the file when nothing was added. FAILED_PRECONDITION when a weighted set
  // does not have a weight for each key.
  absl::StatusOr<std::string> Seal();
  absl::Status Publish(const std::string& path);

  // Reads entries that were added, from `first` on. Reads as many as the span is long.
  absl::Status ReadKeys(int64_t first, std::span<int64_t> keys) const;
  absl::Status ReadWeights(int64_t first, std::span<float> weights) const;

  int64_t num_keys() const { return num_keys_; }
  bool weighted() const { return weighted_; }

 private:
  const std::string folder_;
  std::unique_ptr<TemporaryFile> file_;
  bool weighted_ = false;
  int64_t num_keys_ = 0;
  int64_t num_weights_ = 0;
  int64_t keys_at_ = 0;
};

// The content of a file. Entry n has ordinal n.
struct TrainingSetContent {
  std::span<const int64_t> keys;
  // Empty when every weight is 1.
  std::span<const float> weights;
};

// Writes the file, whole or not at all. Returns its digest.
absl::StatusOr<std::string> WriteTrainingSet(const std::string& path,
                                             const TrainingSetContent& content);

// Reads the column `key` and, if the file has it, `weight`. The columns are views of the mapped
// file, which may be removed while they are in use. NOT_FOUND when there is no file. DATA_LOSS when
// the bytes do not match the digest at the end of the file, or when that digest is not `digest`.
absl::StatusOr<batch::Batch> ReadTrainingSet(const std::string& path, const std::string& digest);

}  // namespace tidemill::selector

// A sealed training set on disk. The format is written down in docs/formats/training_set.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "batch/batch.h"
#include "selector/columns/temporary_file.h"

namespace tidemill::selector {

// Writes a set as its entries come, of which it holds none in memory:
//
//   Open(weighted), AddKeys()..., AddWeights()... when weighted, Seal(), Publish(path)
//
// Nothing is seen of it before Publish(). Thread-compatible.
class TrainingSetWriter {
 public:
  // `folder` exists and lies on the file system of the paths to publish to.
  explicit TrainingSetWriter(std::string folder);

  // Whether the set has weights must be known before its first key.
  absl::Status Open(bool weighted);
  // Entry n has ordinal n.
  absl::Status AddKeys(std::span<const int64_t> keys);
  // After all keys, in their order.
  absl::Status AddWeights(std::span<const float> weights);
  // Syncs the file and returns its digest in hexadecimal, which depends on keys and weights only.
  // Opens it when nothing was added. FAILED_PRECONDITION unless each key of a weighted set has a
  // weight.
  absl::StatusOr<std::string> Seal();
  absl::Status Publish(const std::string& path);

  // Entries that were added, from `first` on; there are as many as the span is long.
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

// What a file holds: entry n has ordinal n.
struct TrainingSetContent {
  std::span<const int64_t> keys;
  // Empty when every weight is 1.
  std::span<const float> weights;
};

// Writes the file, there whole or not at all. Returns its digest.
absl::StatusOr<std::string> WriteTrainingSet(const std::string& path,
                                             const TrainingSetContent& content);

// Reads the columns `key` and, if the file has them, `weight`, as views of the mapped file, which
// may be removed meanwhile. DATA_LOSS when the bytes do not
// have the digest that stands at their end, or not `digest`; NOT_FOUND when there is no file.
absl::StatusOr<batch::Batch> ReadTrainingSet(const std::string& path, const std::string& digest);

}  // namespace tidemill::selector

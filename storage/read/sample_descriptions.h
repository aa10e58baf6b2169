// Describes the samples of given keys from the index, as columns, without reading the data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "base/status.h"
#include "batch/batch.h"
#include "storage/index/dataset_index.h"

namespace tidemill::storage {

// The answer for consecutive keys.
struct DescribedSamples {
  // The columns are key, file (int64), event_time and, when one of the samples has one,
  // class_label.
  batch::Batch batch;
  // The files of the batch that no earlier batch has named. Paths are below the dataset's folder.
  std::vector<std::pair<FileId, std::string>> files;
};

// Serves one request. Thread-compatible. Memory: one batch, and the ids of the named files.
class SampleDescriptions {
 public:
  SampleDescriptions(std::shared_ptr<const DatasetIndex> index, std::vector<int64_t> keys)
      : index_(std::move(index)), keys_(std::move(keys)) {}

  // Returns the next batch, of about `most_bytes` at most, with rows in the order of the keys.
  // std::nullopt at the end. Keys that no segment holds are left out. Keys of deleted samples are
  // kept, because the samples of a training must not change while it runs.
  absl::StatusOr<std::optional<DescribedSamples>> Next(int64_t most_bytes);

 private:
  void NameFile(FileId file, DescribedSamples& described);

  const std::shared_ptr<const DatasetIndex> index_;  // Shared with other readers.
  const std::vector<int64_t> keys_;
  size_t position_ = 0;
  absl::flat_hash_set<FileId> named_;
  size_t path_bytes_ = 0;  // The bytes of paths in the current batch.
};

}  // namespace tidemill::storage

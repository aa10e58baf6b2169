// What the index knows of the samples of given keys, as columns, without a look at the data.
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

// The answer to a run of consecutive keys.
struct DescribedSamples {
  // Columns key, file (int64) and, where one of the samples has one, class_label.
  batch::Batch batch;
  // Those of the batch that no batch before has named: paths are below the dataset's folder.
  std::vector<std::pair<FileId, std::string>> files;
};

// One request. Thread-compatible. Memory: one batch, and the ids of the files named.
class SampleDescriptions {
 public:
  SampleDescriptions(std::shared_ptr<const DatasetIndex> index, std::vector<int64_t> keys)
      : index_(std::move(index)), keys_(std::move(keys)) {}

  // The next batch, of about `most_bytes` at most, rows in the order of the keys; std::nullopt at
  // the end. Keys that no segment holds are left out. Those of deleted samples are not: what a
  // training is made of must not change while it runs.
  absl::StatusOr<std::optional<DescribedSamples>> Next(int64_t most_bytes);

 private:
  void NameFile(FileId file, DescribedSamples& described);

  const std::shared_ptr<const DatasetIndex> index_;  // Shared with other readers.
  const std::vector<int64_t> keys_;
  size_t position_ = 0;
  absl::flat_hash_set<FileId> named_;
  size_t path_bytes_ = 0;  // Of the present batch.
};

}  // namespace tidemill::storage

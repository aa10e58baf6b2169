// Reads every sample of a dataset again and compares it with what was ingested.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "storage/index/dataset_index.h"
#include "storage/index/sample_index.h"
#include "storage/read/open_files.h"
#include "storage/read/sample_block_reader.h"

namespace tidemill::storage {

// One check. Thread-compatible. Time: the bytes of each sample are read once, in the order of keys,
// which is the order of the files, and each column file once. Memory: one block of samples, or one
// column file.
//
// Files are opened again, so that a file replaced since storage opened it is noticed. A compressed
// file is checked by its unpacked copy, which belongs to the file's present size and time. A
// damaged column file is rebuilt.
class DatasetCheck {
 public:
  struct Step {
    int64_t num_done = 0;
    int64_t num_samples = 0;
    // The samples that can no longer be read as they were ingested.
    std::vector<MissingKey> damaged;
    // The number of column files compared so far, and the number of the dataset's column files that
    // were rebuilt since storage started, because they were lost or damaged.
    int64_t num_column_files = 0;
    int64_t num_made_again = 0;
  };

  // All must outlive this object. Deleted samples in `index` are left out.
  DatasetCheck(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
               UnpackedCache& files, int64_t block_bytes);

  // Checks some thousands of samples. Returns std::nullopt after the last one. Returns the errors
  // of SampleBlockReader::Next and SampleIndex::CheckColumns.
  absl::StatusOr<std::optional<Step>> Next();

 private:
  // Checks the column files of the rows up to `row_`.
  absl::Status CheckColumnFiles();
  std::vector<int64_t> NextKeys();
  absl::Status Read(std::vector<int64_t> keys, std::vector<MissingKey>& damaged);
  absl::Status DropDeleted(std::vector<MissingKey>& damaged);

  SampleIndex& indexes_;
  const std::shared_ptr<const DatasetIndex> index_;  // Shared with readers and the SampleIndex.
  OpenFiles files_;
  const int64_t block_bytes_;
  int64_t row_ = 0;
  size_t num_segments_ = 0;  // The number of segments whose column files were compared.
  int64_t num_done_ = 0;
  int64_t num_samples_ = 0;
};

}  // namespace tidemill::storage

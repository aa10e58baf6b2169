// Reads the samples of given keys as columnar blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/index/dataset_index.h"
#include "storage/index/sample_index.h"
#include "storage/index/sample_lookup.h"
#include "storage/read/open_files.h"

namespace tidemill::storage {

struct MissingKey {
  int64_t key = 0;
  std::string reason;
  bool deleted = false;
};

// The answer for consecutive requested keys. Each key is a row of the batch or is missing.
struct SampleBlock {
  // The columns are key, event_time, class_label, real_label and payload. A label column that no
  // row has is left out. Rows are in the requested order.
  batch::Batch batch;
  std::vector<MissingKey> missing;
};

// Serves one request. Thread-compatible. Memory: the keys, and one block while it is made.
//
// Every record is copied out of the file and then checked against its hash. A file that is
// truncated, rewritten or replaced during the read therefore costs the samples that it no longer
// holds. It never causes a wrong byte, or a sample of another file.
class SampleBlockReader {
 public:
  // `indexes` and `files` must outlive this object. `keys` may be in any order, and a key may be
  // listed several times.
  SampleBlockReader(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
                    OpenFiles& files, std::vector<int64_t> keys);

  // Returns the next block, of about `block_bytes` of payload, or of one larger sample.
  // std::nullopt when every key was answered. Before a key is reported as missing, the index is
  // refreshed. UNAVAILABLE when that needs the database and the database cannot be reached.
  // FAILED_PRECONDITION when the dataset's folder is not there: its samples are not bad.
  absl::StatusOr<std::optional<SampleBlock>> Next(int64_t block_bytes);

 private:
  absl::StatusOr<SampleBlock> MakeBlock(const BlockLimits& limits, SampleRows& rows);
  // Returns whether there is a newer index. The reader then reads that one.
  absl::StatusOr<bool> Refresh();

  SampleIndex& indexes_;
  std::shared_ptr<const DatasetIndex> index_;  // Shared with other readers and the SampleIndex.
  OpenFiles& files_;
  const std::vector<int64_t> keys_;
  std::unique_ptr<SampleLookup> lookup_;  // The lookup of `index_`.
  size_t position_ = 0;
};

}  // namespace tidemill::storage

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
};

// The answer to a run of consecutive requested keys: each is a row of the batch or missing.
struct SampleBlock {
  // Columns key, event_time, class_label, real_label and payload, less a label that no row has;
  // rows in the order asked.
  batch::Batch batch;
  std::vector<MissingKey> missing;
};

// One request. Thread-compatible. Memory: the keys, and one block while it is made.
//
// Every record is checked against its hash after it was copied out of the file, so a file that is
// truncated, rewritten or replaced meanwhile costs the samples it no longer holds, never a wrong
// byte and no other file's sample.
class SampleBlockReader {
 public:
  // `indexes` and `files` must outlive it. `keys` in any order, each as often as it is wanted.
  SampleBlockReader(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
                    OpenFiles& files, std::vector<int64_t> keys);

  // The next block, of about `block_bytes` of payload, or one larger sample; std::nullopt when
  // every key was answered. Before a key is called missing, the index is brought up to date;
  // UNAVAILABLE when that needs the database and it is away.
  absl::StatusOr<std::optional<SampleBlock>> Next(int64_t block_bytes);

 private:
  absl::StatusOr<SampleBlock> MakeBlock(const BlockLimits& limits, SampleRows& rows);
  // True when there is a newer index, which is then the one that is read.
  absl::StatusOr<bool> Refresh();

  SampleIndex& indexes_;
  std::shared_ptr<const DatasetIndex> index_;  // Shared with other readers and the SampleIndex.
  OpenFiles& files_;
  const std::vector<int64_t> keys_;
  std::unique_ptr<SampleLookup> lookup_;  // Of index_.
  size_t position_ = 0;
};

}  // namespace tidemill::storage

// Where a training loop gets its batches from: the seam between training and data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/path_work.h"

namespace tidemill::loader {

// One batch of an epoch: what can be read of the ordinals [index * batch_size,
// (index + 1) * batch_size) of the epoch's permutation. What cannot be read leaves a hole that
// nothing fills. With buckets it has as many rows and holes, but rows of its window.
struct TrainingBatch {
  int64_t epoch = 0;
  int64_t index = 0;
  // Rows in the order of the permutation, or with buckets of their length, perhaps none. Columns:
  // key, ordinal, input and input_... (float32 or int64), target (int64 or float32) and, in a
  // weighted set, weight. Buffers are 64-byte aligned: the bits of a sum can depend on alignment.
  batch::Batch rows = {};
  int64_t num_skipped = 0;
  // Why one of the skipped samples was; empty when none was.
  std::string reason = {};
};

// Thread-compatible.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // Samples in the epoch of the batch that was given last, holes included; before the first batch
  // in the first epoch, as far as is known. All epochs of most sources have as many.
  virtual int64_t num_samples() const = 0;
  // Batches in that epoch.
  virtual int64_t num_batches() const = 0;

  // Waits for the next batch, epoch after epoch; std::nullopt after the last.
  virtual absl::StatusOr<std::optional<TrainingBatch>> Next() = 0;

  // What making the batches took so far, wherever they are made; nothing where that is not known.
  virtual PathWork work() const { return {}; }
};

}  // namespace tidemill::loader

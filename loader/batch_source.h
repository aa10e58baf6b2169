// The interface between training and data: a training loop reads its batches from a BatchSource.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/path/path_work.h"

namespace tidemill::loader {

// One batch of an epoch: the readable samples at the positions [index * batch_size, (index + 1) *
// batch_size) of the epoch's permutation of ordinals. A sample that cannot be read, or that the
// graph filters, leaves a hole, which stays empty. With buckets, a batch has the same number of
// rows and holes, but its rows may come from anywhere in its window.
struct TrainingBatch {
  int64_t epoch = 0;
  int64_t index = 0;
  // The rows in the order of the permutation, or with buckets in the order of their length. There
  // may be none. The columns are key, ordinal, input and input_... (float32 or int64), target
  // (int64 or float32) and, in a weighted set, weight. Buffers are 64-byte aligned, because the
  // bits of a sum can depend on alignment.
  batch::Batch rows = {};
  // The samples that could not be read or transformed.
  int64_t num_skipped = 0;
  int64_t num_filtered = 0;
  // The reason for one of the skipped samples. Empty when none was skipped.
  std::string reason = {};
};

// Thread-compatible.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // Returns the number of samples, including holes, in the epoch of the last batch returned. Before
  // the first batch, returns the number for the first epoch, as far as it is known. In most
  // sources, all epochs have the same number.
  virtual int64_t num_samples() const = 0;
  // Returns the number of batches in that epoch.
  virtual int64_t num_batches() const = 0;

  // Waits for the next batch, epoch after epoch. Returns std::nullopt after the last.
  virtual absl::StatusOr<std::optional<TrainingBatch>> Next() = 0;

  // Returns the work of making the batches so far, in all processes. It is empty when unknown.
  virtual PathWork work() const { return {}; }
};

}  // namespace tidemill::loader

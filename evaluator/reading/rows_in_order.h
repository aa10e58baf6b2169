// Takes rows from a source of batches in the order of their ordinals, in pieces of any size.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/batch_source.h"

namespace tidemill::evaluator {

// Thread-compatible.
class RowsInOrder {
 public:
  struct Taken {
    // Without the column `ordinal`. Without rows and columns when there are none.
    batch::Batch rows = {};
    // Whether a batch that reaches into the piece lacks samples that no filter has left out.
    bool may_lack_bad = false;
  };

  // The ordinals of the source begin at 0, and ascend. Batches have `batch_size` samples.
  RowsInOrder(std::unique_ptr<loader::BatchSource> source, int64_t batch_size)
      : source_(std::move(source)), batch_size_(batch_size) {}

  // Returns the rows of the samples with ordinals before `end` that were not returned before.
  // Returns the errors of the source. INTERNAL when it ends too early.
  absl::StatusOr<Taken> TakeTo(int64_t end);

  // Returns the work of the source.
  loader::PathWork work() const { return source_->work(); }

 private:
  absl::Status NextBatch();
  // Returns the rows of the current batch with ordinals before `end`, and moves past them.
  batch::Batch TakeRows(int64_t end);

  std::unique_ptr<loader::BatchSource> source_;
  int64_t batch_size_;
  loader::TrainingBatch batch_ = {};
  int64_t row_ = 0;        // The next row of the current batch.
  int64_t position_ = 0;   // The next ordinal.
  int64_t batch_end_ = 0;  // The ordinal after the current batch.
};

}  // namespace tidemill::evaluator

// The rows of a block that a graph still works on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "transform/engine/frame.h"

namespace tidemill::transform {

// Holds the frame of a block. Rows that are bad or filtered stay in the frame until dropping them
// is worth the cost. After that, the ops after a filter do not process them. Thread-compatible.
// `samples` must outlive it.
class RemainingRows {
 public:
  RemainingRows(const batch::Batch& samples, int num_slots, const RunContext& context);
  RemainingRows(const RemainingRows&) = delete;
  RemainingRows& operator=(const RemainingRows&) = delete;

  Frame& frame() { return *frame_; }
  // The samples of the frame's rows.
  const batch::Batch& samples() const { return frame_->samples(); }

  // Drops bad and filtered rows if they are a large part of the frame.
  absl::Status DropIfWorth();

  // Returns the rows of the block that are neither bad nor filtered, ascending.
  std::vector<int64_t> GoodRows() const;
  int64_t num_filtered() const { return num_filtered_ + frame_->num_filtered(); }
  // Returns all bad samples in the order of their rows in the block.
  std::vector<BadSample> TakeBad();

 private:
  void CollectBad();

  std::optional<batch::Batch> kept_;  // The remaining samples, once rows were dropped.
  std::optional<Frame> frame_;
  std::vector<int64_t>
      rows_;  // The rows of the block that are in the frame. Empty before rows were dropped.
  std::vector<BadSample> bad_;
  int64_t num_filtered_ = 0;
};

}  // namespace tidemill::transform

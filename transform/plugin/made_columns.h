// The columns that a user's op makes, block by block.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "plugin/process/shared_columns.h"
#include "transform/engine/frame.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// Rows without a result have zeros, or no bytes. Thread-compatible.
class MadeColumns {
 public:
  MadeColumns(std::span<const BoundColumn> outputs, int64_t num_rows);

  // INVALID_ARGUMENT when an answer does not hold exactly the outputs, with `num_rows` rows.
  absl::Status Check(const batch::Batch& answer, int64_t num_rows) const;

  // Copies an answer that was checked: its rows become the rows of `runs`, which ascend from call
  // to call. Rejects rows with numbers that are not finite. RESOURCE_EXHAUSTED when the byte
  // strings of a column become too large.
  absl::Status Take(const batch::Batch& answer, std::span<const plugin::RowRun> runs, Frame& frame);

  // Gives the columns to the frame.
  void Finish(Frame& frame);

 private:
  // The strings so far of a column of byte strings.
  struct StringsMade {
    std::string bytes = {};
    std::vector<int64_t> offsets = {0};

    // Completes the rows before this one.
    void SkipTo(int64_t row);
  };

  void TakeNumbers(const batch::Column& from, std::span<const plugin::RowRun> runs, size_t output,
                   Frame& frame);
  absl::Status TakeStrings(const batch::Column& from, std::span<const plugin::RowRun> runs,
                           size_t output);

  const std::span<const BoundColumn> outputs_;
  const int64_t num_rows_;
  std::vector<batch::Column> columns_;
  // For each output; unused for numbers.
  std::vector<StringsMade> strings_;
};

}  // namespace tidemill::transform

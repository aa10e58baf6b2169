// One pass of a user's op over the rows of a frame.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "batch/batch.h"
#include "plugin/process/plugin_instance.h"
#include "transform/engine/frame.h"
#include "transform/plugin/made_columns.h"
#include "transform/plugin/row_blocks.h"

namespace tidemill::transform {

// Passes rows in large blocks. A block that fails is halved, down to the row that causes the
// failure, which is rejected. A plug-in that fails with every row fails the pass. Thread-
// compatible.
class PluginRows {
 public:
  // `use`: "ratios.py:Ratios", for reasons. `blocks` is empty. `has_made`: whether the op has ever
  // made a row, on any thread.
  PluginRows(std::string use, plugin::PluginInstance& instance, const batch::Batch& inputs,
             BlockSize blocks, std::atomic<bool>& has_made, MadeColumns& made, Frame& frame)
      : use_(std::move(use)),
        instance_(instance),
        inputs_(inputs),
        blocks_(blocks),
        has_made_(has_made),
        made_(made),
        frame_(frame) {}

  // Makes these rows, which ascend. UNAVAILABLE for a failure of the machine, and
  // FAILED_PRECONDITION, with the plug-in's message, when the op cannot work at all.
  absl::Status Run(std::span<const int64_t> rows);

 private:
  // An answer that was checked; its columns are valid until the next call.
  struct Answer {
    batch::Batch columns;
    // The rows of the block that the plug-in reports as bad, with its reasons.
    std::vector<std::pair<int64_t, std::string>> bad;
  };

  absl::Status RunPiece(std::span<const int64_t> rows);
  // Starts the process if there is none. Fails with a failure that is not the fault of a row.
  absl::Status Ready();
  absl::StatusOr<Answer> Ask(std::span<const plugin::RowRun> runs);
  absl::StatusOr<Answer> Read(const nlohmann::json& said, int64_t num_rows) const;
  // After some rows failed: returns OK if the pass may continue with smaller blocks.
  absl::Status Tolerate(std::span<const int64_t> rows, const absl::Status& failure);
  // Fails when none of several rows can be made alone, because then no single row is the cause.
  absl::Status Probe(std::span<const int64_t> rows, const absl::Status& failure);

  const std::string use_;
  plugin::PluginInstance& instance_;
  const batch::Batch& inputs_;
  BlockSize blocks_;
  std::atomic<bool>& has_made_;
  MadeColumns& made_;
  Frame& frame_;
  int num_deaths_ = 0;
};

}  // namespace tidemill::transform

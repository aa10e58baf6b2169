// One pass of an op of a user's over the rows of a frame.
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

// Gives rows in large blocks. What cannot be made together is made in halves, down to the row that
// is to blame, which is rejected. A plug-in that fails with every row fails the pass. Thread-
// compatible.
class PluginRows {
 public:
  // `use`: "ratios.py:Ratios", for reasons. `blocks` is empty. `has_made`: whether the op has ever
  // made a row, by whatever thread.
  PluginRows(std::string use, plugin::PluginInstance& instance, const batch::Batch& inputs,
             BlockSize blocks, std::atomic<bool>& has_made, MadeColumns& made, Frame& frame)
      : use_(std::move(use)),
        instance_(instance),
        inputs_(inputs),
        blocks_(blocks),
        has_made_(has_made),
        made_(made),
        frame_(frame) {}

  // Makes these rows, which ascend. UNAVAILABLE for what is the machine's fault, and
  // FAILED_PRECONDITION, with the plug-in's own words, when it cannot work at all.
  absl::Status Run(std::span<const int64_t> rows);

 private:
  // An answer that was checked; its columns are valid until the next call.
  struct Answer {
    batch::Batch columns;
    // The rows of the block that the plug-in calls bad, with its reasons.
    std::vector<std::pair<int64_t, std::string>> bad;
  };

  absl::Status RunPiece(std::span<const int64_t> rows);
  // Starts the process if there is none; fails where that is no row's fault.
  absl::Status Ready();
  absl::StatusOr<Answer> Ask(std::span<const plugin::RowRun> runs);
  absl::StatusOr<Answer> Read(const nlohmann::json& said, int64_t num_rows) const;
  // Where some rows failed: whether the pass may go on, with fewer of them at a time.
  absl::Status Bear(std::span<const int64_t> rows, const absl::Status& failure);
  // Fails when none of several rows can be made by itself: then no row is to blame.
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

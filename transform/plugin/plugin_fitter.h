// Fits a user's op: gives its plug-in the good rows in blocks.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "batch/batch.h"
#include "plugin/process/plugin_instance.h"
#include "plugin/spec/plugin_use.h"
#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"
#include "transform/plugin/row_blocks.h"

namespace tidemill::transform {

// The learnt statistic of a user's op: one word, the state in base64.
inline constexpr std::string_view kPluginState = "state";

// The ends of blocks depend only on the rows. The plug-in's state is noted after each block, so a
// process that dies in between changes nothing. A fault of the plug-in ends the fit, with
// FAILED_PRECONDITION.
class PluginFitter final : public OpFitter {
 public:
  // `inputs` outlives it.
  PluginFitter(const plugin::PluginUse& use, std::span<const BoundColumn> inputs);
  ~PluginFitter() override;

  absl::Status Add(const Frame& frame) override;
  absl::StatusOr<FitResult> Finish() override;

 private:
  // Rows of earlier frames that wait until their block is full.
  class Waiting;

  absl::Status Fit(const batch::Batch& rows, std::span<const plugin::RowRun> runs);
  absl::Status FitWaiting();

  const std::span<const BoundColumn> inputs_;
  const std::unique_ptr<plugin::PluginInstance> instance_;
  BlockSize block_;
  const std::unique_ptr<Waiting> waiting_;
  bool has_rows_ = false;
};

}  // namespace tidemill::transform

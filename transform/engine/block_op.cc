#include "transform/engine/block_op.h"

#include <utility>

namespace tidemill::transform {
namespace {

std::vector<int64_t> WidthsOf(const std::vector<BoundColumn>& columns) {
  std::vector<int64_t> widths;
  for (const BoundColumn& column : columns) widths.push_back(column.schema.Width());
  return widths;
}

}  // namespace

BlockOp::BlockOp(std::vector<BoundColumn> inputs, std::vector<BoundColumn> outputs)
    : inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      input_widths_(WidthsOf(inputs_)),
      output_widths_(WidthsOf(outputs_)) {}

absl::StatusOr<LearnedNumbers> BlockOp::Prepare(std::span<const Learned>) const {
  return LearnedNumbers();
}

absl::Status BlockOp::Run(std::span<const Learned> learned, Frame& frame) const {
  ASSIGN_OR_RETURN(const LearnedNumbers numbers, Prepare(learned));
  std::vector<const std::byte*> from;
  for (const BoundColumn& input : inputs_) from.push_back(frame.Get(input.slot).data.data());
  std::vector<batch::Column> made;
  std::vector<std::byte*> to;
  for (const BoundColumn& output : outputs_) {
    made.push_back(NewUnwrittenColumn(output.schema, frame.num_rows()));
    to.push_back(made.back().data.mutable_data());
  }
  RETURN_IF_ERROR(RunBlock({.frame = frame,
                            .first_row = 0,
                            .num_rows = frame.num_rows(),
                            .inputs = from,
                            .outputs = to,
                            .learned = numbers}));
  for (size_t i = 0; i < made.size(); ++i) frame.Set(outputs_[i].slot, std::move(made[i]));
  return absl::OkStatus();
}

}  // namespace tidemill::transform

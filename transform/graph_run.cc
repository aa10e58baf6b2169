// Runs the ops of a graph.
#include <algorithm>
#include <utility>

#include "batch/slice.h"
#include "transform/engine/remaining_rows.h"
#include "transform/graph.h"

namespace tidemill::transform {
namespace {

// Rows that have too many texts together run as two halves, with the same results.
std::pair<batch::Batch, batch::Batch> Halves(const batch::Batch& samples) {
  const int64_t half = samples.num_rows() / 2;
  return {batch::Slice(samples, 0, half), batch::Slice(samples, half, samples.num_rows())};
}

absl::StatusOr<batch::Batch> Join(const batch::Batch& front, const batch::Batch& back) {
  return batch::Concatenate(std::vector<batch::Batch>{front, back});
}

}  // namespace

absl::Status Graph::RunOp(const BoundOp& op, std::span<const Learned> learned, Frame& frame) const {
  return Annotate(op.op->Run(learned, frame), op.name);
}

absl::Status Graph::RunStage(const BoundStage& stage, const FittedState* fitted, Frame& frame,
                             std::span<OpWork> work) const {
  const auto learned_of = [&](int op) {
    return ops_[op].fitted ? fitted->Of(op) : std::span<const Learned>();
  };
  const auto [first, count] = stage.ops;
  if (!stage.fused.has_value()) {
    const int alone = order()[first];
    return Annotate(ops_[alone].RunningBefore(stage.end).Run(learned_of(alone), frame),
                    ops_[alone].name);
  }
  std::vector<LearnedNumbers> learned(count);
  for (int i = 0; i < count; ++i) {
    const int index = order()[first + i];
    const BoundOp& op = ops_[index];
    absl::StatusOr<LearnedNumbers> numbers =
        op.RunningBefore(stage.end).block_op()->Prepare(learned_of(index));
    if (!numbers.ok()) return Annotate(numbers.status(), op.name);
    learned[i] = *std::move(numbers);
  }
  return stage.fused->Run(learned, frame, work);
}

int64_t Graph::BytesMade(const BoundOp& op, const Frame& frame) const {
  int64_t bytes = 0;
  for (const auto& [slot, schema] : op.outputs) {
    bytes += IsText(schema.type)
                 ? static_cast<int64_t>(frame.Get(slot).data.size())
                 : frame.num_rows() * schema.Width() * static_cast<int64_t>(SizeOf(schema.type));
  }
  return bytes;
}

absl::Status Graph::RunMeasured(const BoundStage& stage, const FittedState* fitted, Frame& frame,
                                std::vector<OpWork>& done) const {
  const auto [first, count] = stage.ops;
  std::vector<OpWork> work(count);
  const int64_t num_bad = frame.num_bad() + frame.num_filtered();
  const int64_t num_unknown = frame.num_unknown();
  const ThreadTime begin = ThreadTime::Now();
  RETURN_IF_ERROR(RunStage(stage, fitted, frame, work));
  const ThreadTime end = ThreadTime::Now();
  if (count == 1) {
    work[0].rejected = frame.num_bad() + frame.num_filtered() - num_bad;
    work[0].unknown = frame.num_unknown() - num_unknown;
    work[0].wall_ns = end.wall_ns - begin.wall_ns;
  }
  int64_t wall_ns = 0;
  for (const OpWork& op : work) wall_ns += op.wall_ns;
  const double cpu_share = static_cast<double>(end.cpu_ns - begin.cpu_ns) /
                           static_cast<double>(std::max<int64_t>(1, wall_ns));
  int64_t rows = frame.num_rows() - num_bad;
  for (int i = 0; i < count; ++i) {
    work[i].runs = 1;
    work[i].rows = rows;
    work[i].bytes = BytesMade(ops_[order()[first + i]], frame);
    work[i].cpu_ns = static_cast<int64_t>(static_cast<double>(work[i].wall_ns) * cpu_share);
    rows -= work[i].rejected;
    done[order()[first + i]] = work[i];
  }
  return absl::OkStatus();
}

absl::StatusOr<GivenSamples> Graph::Give(const batch::Batch& samples, const FittedState* fitted,
                                         const PortableGraph& portable) const {
  RETURN_IF_ERROR(CheckFitted(fitted));
  const auto halves = [&]() -> absl::StatusOr<GivenSamples> {
    const auto [front, back] = Halves(samples);
    ASSIGN_OR_RETURN(const GivenSamples first, Give(front, fitted, portable));
    ASSIGN_OR_RETURN(const GivenSamples second, Give(back, fitted, portable));
    GivenSamples both;
    ASSIGN_OR_RETURN(both.given, Join(first.given, second.given));
    ASSIGN_OR_RETURN(both.made, Join(first.made, second.made));
    return both;
  };
  Frame frame(samples, num_slots_);
  GivenSamples result{.given = batch::Batch(frame.num_rows()), .made = batch::Batch()};
  const auto take = [&](const GivenColumn& column, batch::Column values) {
    values.name = column.schema.name;
    return result.given.Set(std::move(values));
  };
  const auto is_target = [](const BoundColumn& column) {
    return column.schema.name == kTargetColumn;
  };
  for (const GivenColumn& column : portable.given()) {
    if (column.slot != kEventTimeSlot) continue;
    ASSIGN_OR_RETURN(const batch::Column* times,
                     samples.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    RETURN_IF_ERROR(take(column, *times));
  }
  for (const int i : order()) {
    // Samples to predict have no label.
    const std::vector<BoundColumn>& outputs = ops_[i].outputs;
    if (!outputs.empty() && std::ranges::all_of(outputs, is_target)) continue;
    const auto learned = ops_[i].fitted ? fitted->Of(i) : std::span<const Learned>();
    RETURN_IF_ERROR(RunOp(ops_[i], learned, frame));
    if (frame.has_too_many_texts()) return halves();
    for (const GivenColumn& column : portable.given()) {
      if (column.op_index != i || column.slot == kEventTimeSlot) continue;
      RETURN_IF_ERROR(take(column, frame.Get(column.slot)));
    }
  }
  result.made = batch::Batch(frame.num_rows());
  for (const BoundColumn& input : inputs_) {
    RETURN_IF_ERROR(result.made.Set(frame.Get(input.slot)));
  }
  const std::vector<int64_t> good = frame.GoodRows();
  result.given = result.given.Take(good);
  result.made = result.made.Take(good);
  return result;
}

absl::StatusOr<Transformed> Graph::Run(const batch::Batch& samples, const FittedState* fitted,
                                       const RunContext& context, OpCounters* counters) const {
  RETURN_IF_ERROR(CheckFitted(fitted));
  ASSIGN_OR_RETURN(std::optional<Transformed> whole, RunRows(samples, fitted, context, counters));
  if (whole) return *std::move(whole);
  const auto [front, back] = Halves(samples);
  ASSIGN_OR_RETURN(Transformed first, Run(front, fitted, context, counters));
  ASSIGN_OR_RETURN(Transformed second, Run(back, fitted, context, counters));
  ASSIGN_OR_RETURN(first.batch, Join(first.batch, second.batch));
  for (BadSample& bad : second.bad) {
    first.bad.push_back({front.num_rows() + bad.row, std::move(bad.reason)});
  }
  first.num_filtered += second.num_filtered;
  return first;
}

absl::StatusOr<std::optional<Transformed>> Graph::RunRows(const batch::Batch& samples,
                                                          const FittedState* fitted,
                                                          const RunContext& context,
                                                          OpCounters* counters) const {
  RemainingRows rows(samples, num_slots_, context);
  ASSIGN_OR_RETURN(const bool have_run, RunStages(stages_, fitted, rows, counters));
  if (!have_run) return std::nullopt;
  return Finish(rows);
}

absl::StatusOr<bool> Graph::RunStages(std::span<const BoundStage> stages, const FittedState* fitted,
                                      RemainingRows& rows, OpCounters* counters) const {
  std::vector<OpWork> done(counters == nullptr ? 0 : ops_.size());
  for (const BoundStage& stage : stages) {
    RETURN_IF_ERROR(counters == nullptr ? RunStage(stage, fitted, rows.frame(), {})
                                        : RunMeasured(stage, fitted, rows.frame(), done));
    if (rows.frame().has_too_many_texts()) return false;
    // Filtered rows need not go through the later ops.
    if (rows.frame().num_filtered() > 0) RETURN_IF_ERROR(rows.DropIfWorth());
  }
  if (counters == nullptr) return true;
  for (const BoundStage& stage : stages) {
    for (int i = 0; i < stage.ops.count; ++i) {
      const int op = order()[stage.ops.first + i];
      counters->Add(op, done[op]);
    }
  }
  return true;
}

bool Graph::ReadsOutOfRecords(const BoundOp& op, const BoundColumn& output) {
  return op.inputs.empty() && op.type.starts_with("parse_") && output.schema.name != kTargetColumn;
}

std::vector<ColumnSchema> Graph::record_columns() const {
  std::vector<ColumnSchema> columns;
  for (size_t place = 0; place < order().size(); ++place) {
    const BoundOp& op = ops_[order()[place]];
    for (const BoundColumn& output : op.outputs) {
      if (!ReadsOutOfRecords(op, output) || !IsUsedAfter(place, output.slot)) continue;
      columns.push_back(output.schema);
    }
  }
  return columns;
}

absl::StatusOr<Transformed> Graph::RunShuffled(const batch::Batch& samples,
                                               const FittedState* fitted, std::string_view column,
                                               std::span<const int64_t> rows) const {
  RETURN_IF_ERROR(CheckFitted(fitted));
  RemainingRows remaining(samples, num_slots_, {});
  Frame& frame = remaining.frame();
  bool is_found = false;
  for (const int i : order()) {
    const BoundOp& op = ops_[i];
    RETURN_IF_ERROR(RunOp(op, op.fitted ? fitted->Of(i) : std::span<const Learned>(), frame));
    if (frame.has_too_many_texts()) {
      return absl::ResourceExhaustedError("the samples have too many texts together");
    }
    for (const BoundColumn& output : op.outputs) {
      if (output.schema.name != column || !ReadsOutOfRecords(op, output)) continue;
      batch::Batch alone(frame.num_rows());
      RETURN_IF_ERROR(alone.Set(frame.Get(output.slot)));
      frame.Set(output.slot, alone.Take(rows).columns().front());
      is_found = true;
    }
  }
  if (!is_found) return NotFound("the graph reads no column {} out of records", column);
  return Finish(remaining);
}

absl::StatusOr<Transformed> Graph::Finish(RemainingRows& rows) const {
  const Frame& frame = rows.frame();
  Transformed result{.batch = batch::Batch(frame.num_rows()), .bad = {}};
  for (const std::string_view name :
       {batch::kKeyColumn, batch::kEventTimeColumn, batch::kOrdinalColumn, batch::kWeightColumn}) {
    const batch::Column* column = rows.samples().Find(name);
    if (column != nullptr) RETURN_IF_ERROR(result.batch.Set(*column));
  }
  for (const BoundColumn& input : inputs_) {
    RETURN_IF_ERROR(result.batch.Set(frame.Get(input.slot)));
  }
  if (target_.has_value()) RETURN_IF_ERROR(result.batch.Set(frame.Get(target_->slot)));
  const bool all = frame.num_bad() == 0 && frame.num_filtered() == 0;
  if (!all) result.batch = result.batch.Take(frame.GoodRows());
  result.num_filtered = rows.num_filtered();
  result.bad = rows.TakeBad();
  return result;
}

}  // namespace tidemill::transform

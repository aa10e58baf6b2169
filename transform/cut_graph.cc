#include "transform/cut_graph.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/check.h"
#include "base/digest.h"
#include "base/version.h"
#include "batch/slice.h"
#include "transform/engine/remaining_rows.h"

namespace tidemill::transform {
namespace {

std::string TextOf(std::span<const Learned> learned) {
  std::string text;
  for (const Learned& one : learned) {
    text += fmt::format("{} {} {} {}:", one.column.size(), one.column, one.statistic.size(),
                        one.statistic);
    for (const double number : one.numbers) text += fmt::format(" {:a}", number);
    for (const std::string& word : one.words) text += fmt::format(" {} {}", word.size(), word);
    text += '\n';
  }
  return text;
}

// The rows of a block that are neither good nor bad.
std::vector<int64_t> Filtered(int64_t num_rows, const std::vector<int64_t>& good,
                              const std::vector<BadSample>& bad) {
  std::vector<int64_t> filtered;
  size_t next_good = 0;
  size_t next_bad = 0;
  for (int64_t row = 0; row < num_rows; ++row) {
    if (next_good < good.size() && good[next_good] == row) {
      ++next_good;
    } else if (next_bad < bad.size() && bad[next_bad].row == row) {
      ++next_bad;
    } else {
      filtered.push_back(row);
    }
  }
  return filtered;
}

absl::StatusOr<PreparedBlock> Join(PreparedBlock first, PreparedBlock second, int64_t num_rows) {
  ASSIGN_OR_RETURN(first.rows,
                   batch::Concatenate(std::vector<batch::Batch>{first.rows, second.rows}));
  for (BadSample& bad : second.bad) {
    first.bad.push_back({num_rows + bad.row, std::move(bad.reason)});
  }
  for (const int64_t row : second.filtered) first.filtered.push_back(num_rows + row);
  return first;
}

}  // namespace

std::string NameOfKept(size_t index) { return fmt::format("kept {}", index); }

CutGraph::CutGraph(std::shared_ptr<const Graph> graph, CutPoint point)
    : graph_(std::move(graph)), point_(std::move(point)) {
  const size_t num_places = graph_->order().size();
  const auto cut = static_cast<size_t>(point_.num_ops);
  TIDEMILL_CHECK(cut >= 1 && cut <= num_places);
  before_ = graph_->StagesOf(0, cut, Fusion::kOn);
  after_ = graph_->StagesOf(cut, num_places, Fusion::kOn);
}

absl::StatusOr<std::string> CutGraph::Digest(const FittedState* fitted,
                                             bool standardize_target) const {
  if (point_.learns) RETURN_IF_ERROR(graph_->CheckFitted(fitted));
  std::string text = fmt::format("tidemill {} samples {}\n", kVersion, graph_->samples_digest_);
  bool scales_target = false;
  for (int place = 0; place < point_.num_ops; ++place) {
    const int index = graph_->order()[static_cast<size_t>(place)];
    const Graph::BoundOp& op = graph_->ops_[static_cast<size_t>(index)];
    text += fmt::format("op {} {}\n", index, op.digest);
    for (const BoundColumn& input : op.inputs) text += fmt::format("reads {}\n", input.slot);
    if (op.fitted) text += TextOf(fitted->Of(index));
    for (const BoundColumn& made : op.outputs) {
      scales_target |= op.fitted && made.schema.name == kTargetColumn;
    }
  }
  for (const ReducedImages& reduced : graph_->plan_.reduced) {
    text += fmt::format("reduced {} {}\n", reduced.op, reduced.eighths);
  }
  for (const auto& [slot, schema] : point_.columns) {
    text += fmt::format("keeps {} {} {}\n", slot, static_cast<int>(schema.type),
                        fmt::join(schema.shape, " "));
  }
  // Only an op that has learned the scale of the target heeds it.
  if (scales_target) text += fmt::format("standardized {}\n", standardize_target);
  return Sha256(text);
}

absl::StatusOr<PreparedBlock> CutGraph::Prepare(const batch::Batch& samples,
                                                const FittedState* fitted,
                                                const RunContext& context,
                                                OpCounters* counters) const {
  if (point_.learns) RETURN_IF_ERROR(graph_->CheckFitted(fitted));
  ASSIGN_OR_RETURN(std::optional<PreparedBlock> whole,
                   PrepareRows(samples, fitted, context, counters));
  if (whole) return *std::move(whole);
  const int64_t half = samples.num_rows() / 2;
  ASSIGN_OR_RETURN(PreparedBlock first,
                   Prepare(batch::Slice(samples, 0, half), fitted, context, counters));
  ASSIGN_OR_RETURN(PreparedBlock second, Prepare(batch::Slice(samples, half, samples.num_rows()),
                                                 fitted, context, counters));
  return Join(std::move(first), std::move(second), half);
}

absl::StatusOr<std::optional<PreparedBlock>> CutGraph::PrepareRows(const batch::Batch& samples,
                                                                   const FittedState* fitted,
                                                                   const RunContext& context,
                                                                   OpCounters* counters) const {
  RemainingRows rows(samples, graph_->num_slots_, context);
  ASSIGN_OR_RETURN(const bool have_run, graph_->RunStages(before_, fitted, rows, counters));
  if (!have_run) return std::optional<PreparedBlock>();
  const Frame& frame = rows.frame();
  PreparedBlock block{.rows = batch::Batch(frame.num_rows())};
  for (const batch::Column& column : rows.samples().columns()) {
    if (column.name != batch::kPayloadColumn) RETURN_IF_ERROR(block.rows.Set(column));
  }
  for (size_t i = 0; i < point_.columns.size(); ++i) {
    batch::Column column = frame.Get(point_.columns[i].slot);
    column.name = NameOfKept(i);
    RETURN_IF_ERROR(block.rows.Set(std::move(column)));
  }
  const bool all = frame.num_bad() == 0 && frame.num_filtered() == 0;
  if (!all) block.rows = block.rows.Take(frame.GoodRows());
  const std::vector<int64_t> good = rows.GoodRows();
  block.bad = rows.TakeBad();
  block.filtered = Filtered(samples.num_rows(), good, block.bad);
  return block;
}

absl::StatusOr<Transformed> CutGraph::Finish(const batch::Batch& rows, const FittedState* fitted,
                                             const RunContext& context,
                                             OpCounters* counters) const {
  RETURN_IF_ERROR(graph_->CheckFitted(fitted));
  RemainingRows remaining(rows, graph_->num_slots_, context);
  for (size_t i = 0; i < point_.columns.size(); ++i) {
    const auto& [slot, schema] = point_.columns[i];
    ASSIGN_OR_RETURN(const batch::Column* const kept, rows.Get(NameOfKept(i), schema.type));
    batch::Column column = *kept;
    column.name = schema.name;
    remaining.frame().Set(slot, std::move(column));
  }
  ASSIGN_OR_RETURN(const bool have_run, graph_->RunStages(after_, fitted, remaining, counters));
  // All ops that make texts are before the cut, or all after it.
  if (have_run) return graph_->Finish(remaining);
  const int64_t half = rows.num_rows() / 2;
  ASSIGN_OR_RETURN(Transformed first,
                   Finish(batch::Slice(rows, 0, half), fitted, context, counters));
  ASSIGN_OR_RETURN(const Transformed second,
                   Finish(batch::Slice(rows, half, rows.num_rows()), fitted, context, counters));
  ASSIGN_OR_RETURN(first.batch,
                   batch::Concatenate(std::vector<batch::Batch>{first.batch, second.batch}));
  for (const BadSample& bad : second.bad) first.bad.push_back({half + bad.row, bad.reason});
  first.num_filtered += second.num_filtered;
  return first;
}

}  // namespace tidemill::transform

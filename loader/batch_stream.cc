#include "loader/batch_stream.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemill::loader {
namespace {

constexpr int64_t kWindow = 4;
// Samples read together where they are small: enough to pay for a call.
constexpr int64_t kMaxChunkSamples = 8192;

// Drops the columns that training does not need.
absl::StatusOr<batch::Batch> Narrow(const batch::Batch& transformed) {
  batch::Batch rows(transformed.num_rows());
  for (const batch::Column& column : transformed.columns()) {
    if (column.name != batch::kEventTimeColumn) RETURN_IF_ERROR(rows.Set(column));
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BatchStream>> BatchStream::Create(
    TrainingSet set, SampleReader reader, std::shared_ptr<const transform::Graph> graph,
    std::shared_ptr<const transform::FittedState> fitted, const BatchPlan& plan,
    const StreamOptions& options) {
  if (plan.batch_size < 1 || plan.epochs < 1) {
    return InvalidArgument("batches of {} in {} epochs are none", plan.batch_size, plan.epochs);
  }
  if (!graph->target()) return InvalidArgument("the graph gives no `target` to learn");
  std::unique_ptr<BatchStream> stream(new BatchStream());
  stream->set_ = std::move(set);
  stream->reader_ = std::move(reader);
  stream->graph_ = std::move(graph);
  stream->fitted_ = std::move(fitted);
  stream->plan_ = plan;
  const int64_t end = stream->num_batches() * plan.epochs;
  const int64_t first = std::min(plan.first_batch, end);
  int64_t row_bytes = 0;
  for (const transform::ColumnSchema& input : stream->graph_->inputs()) {
    row_bytes += input.Width() * static_cast<int64_t>(batch::SizeOf(input.type));
  }
  const int64_t chunk_rows =
      std::min(kMaxChunkSamples, options.bytes_ahead / kWindow / std::max<int64_t>(1, row_bytes));
  const int64_t batches = std::max<int64_t>(1, chunk_rows / plan.batch_size);
  stream->ahead_ = std::make_unique<ReadAhead<Chunk>>(
      ReadAhead<Chunk>::Options{.num_threads = options.num_threads, .window = kWindow}, 0,
      (end - first + batches - 1) / batches,
      [self = stream.get(), first, batches, end](int64_t number, const std::stop_token& stop) {
        const int64_t from = first + number * batches;
        return self->ReadChunk(from, std::min(from + batches, end), stop);
      });
  return stream;
}

int64_t BatchStream::num_batches() const {
  return (set_.size() + plan_.batch_size - 1) / plan_.batch_size;
}

std::vector<int64_t> BatchStream::OrdinalsOf(int64_t batch) const {
  const int64_t epoch = batch / num_batches();
  const int64_t from = batch % num_batches() * plan_.batch_size;
  const int64_t to = std::min(from + plan_.batch_size, set_.size());
  RandomKey key = plan_.shuffle;
  key.epoch = epoch;
  const Permutation permutation(key, set_.size());
  std::vector<int64_t> ordinals;
  ordinals.reserve(to - from);
  for (int64_t i = from; i < to; ++i) ordinals.push_back(plan_.shuffled ? permutation(i) : i);
  return ordinals;
}

absl::StatusOr<BatchStream::Chunk> BatchStream::ReadChunk(int64_t from, int64_t to,
                                                          const std::stop_token& stop) const {
  Chunk chunk;
  while (from < to) {
    const int64_t end_of_epoch = (from / num_batches() + 1) * num_batches();
    const int64_t end = std::min(to, end_of_epoch);
    ASSIGN_OR_RETURN(Chunk part, ReadBatches(from, end, stop));
    std::move(part.begin(), part.end(), std::back_inserter(chunk));
    from = end;
  }
  return chunk;
}

absl::StatusOr<BatchStream::Chunk> BatchStream::ReadBatches(int64_t from, int64_t to,
                                                            const std::stop_token& stop) const {
  // What random ops draw depends on the epoch, so samples of several epochs are not run together.
  const transform::RunContext context{.training = plan_.training,
                                      .seed = plan_.shuffle.seed,
                                      .trigger = plan_.shuffle.trigger,
                                      .epoch = from / num_batches()};
  std::vector<int64_t> ordinals;
  std::vector<int64_t> ends;  // Of each batch, in `ordinals`.
  for (int64_t batch = from; batch < to; ++batch) {
    const std::vector<int64_t> more = OrdinalsOf(batch);
    ordinals.insert(ordinals.end(), more.begin(), more.end());
    ends.push_back(static_cast<int64_t>(ordinals.size()));
  }
  const auto run_graph = [&](batch::Batch& piece, Rows& rows) -> absl::Status {
    ASSIGN_OR_RETURN(const transform::Transformed transformed,
                     graph_->Run(piece, fitted_.get(), context));
    if (!transformed.bad.empty() && rows.reason.empty()) {
      const transform::BadSample& bad = transformed.bad[0];
      rows.reason = fmt::format("sample {}: {}", piece.keys()[bad.row], bad.reason);
    }
    ASSIGN_OR_RETURN(piece, Narrow(transformed.batch));
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(Rows rows, ReadRows(set_, ordinals, reader_, run_graph, stop));
  batch::Batch all;
  if (!rows.pieces.empty()) {
    ASSIGN_OR_RETURN(
        all, rows.pieces.size() == 1 ? std::move(rows.pieces[0]) : batch::Concatenate(rows.pieces));
  }
  return Cut(all, ordinals, ends, from, rows.reason);
}

// The rows stand in the order of `ordinals`, with holes: walks along both.
BatchStream::Chunk BatchStream::Cut(const batch::Batch& rows, std::span<const int64_t> ordinals,
                                    std::span<const int64_t> ends, int64_t from,
                                    const std::string& reason) const {
  std::span<const int64_t> have;
  if (rows.num_rows() > 0) have = rows.Find(batch::kOrdinalColumn)->Values<int64_t>();
  Chunk chunk;
  size_t at = 0;
  size_t row = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    const int64_t number = from + static_cast<int64_t>(i);
    TrainingBatch cut{.epoch = number / num_batches(), .index = number % num_batches()};
    std::vector<int64_t> taken;
    for (; at < static_cast<size_t>(ends[i]); ++at) {
      if (row < have.size() && have[row] == ordinals[at]) {
        taken.push_back(static_cast<int64_t>(row++));
      } else {
        ++cut.num_skipped;
      }
    }
    if (!taken.empty()) cut.rows = rows.Take(taken);
    if (cut.num_skipped > 0) cut.reason = reason;
    chunk.push_back(std::move(cut));
  }
  return chunk;
}

absl::StatusOr<std::optional<TrainingBatch>> BatchStream::Next() {
  while (ready_.empty()) {
    ASSIGN_OR_RETURN(std::optional<Chunk> chunk, ahead_->Next());
    if (!chunk) return std::optional<TrainingBatch>();
    ready_ = *std::move(chunk);
    std::reverse(ready_.begin(), ready_.end());
  }
  std::optional<TrainingBatch> next(std::move(ready_.back()));
  ready_.pop_back();
  return next;
}

}  // namespace tidemill::loader

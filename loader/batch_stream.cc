#include "loader/batch_stream.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "batch/slice.h"

namespace tidemill::loader {
namespace {

// Of the bytes ahead at least so many chunks can be made, that all threads have something to do.
constexpr int64_t kMinChunks = 4;
// Samples read together where they are small: enough to pay for a call.
constexpr int64_t kMaxChunkSamples = 8192;

int64_t BytesOf(const std::vector<TrainingBatch>& chunk) {
  int64_t bytes = 0;
  for (const TrainingBatch& batch : chunk) bytes += batch::BytesOf(batch.rows);
  return bytes;
}

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
    std::shared_ptr<const TrainingSet> set, SampleReader reader,
    std::shared_ptr<const transform::Graph> graph,
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
  stream->order_ = MakeSampleOrder(plan.order, plan.shuffle, stream->num_samples());
  stream->settle_ = options.settle;
  const int64_t end = stream->num_batches() * plan.epochs;
  const int64_t first = std::min(plan.first_batch, end);
  int64_t row_bytes = 3 * sizeof(int64_t);  // Key, ordinal and target.
  for (const transform::ColumnSchema& input : stream->graph_->inputs()) {
    row_bytes += input.Width() * static_cast<int64_t>(batch::SizeOf(input.type));
  }
  const int64_t chunk_rows =
      std::min(kMaxChunkSamples, options.bytes_ahead / kMinChunks / row_bytes);
  const int64_t batches = std::max<int64_t>(1, chunk_rows / plan.batch_size);
  stream->ahead_ = std::make_unique<ReadAhead<Chunk>>(
      ReadAhead<Chunk>::Options{.num_threads = options.num_threads,
                                .bytes = options.bytes_ahead,
                                .expected_bytes = batches * plan.batch_size * row_bytes},
      0, (end - first + batches - 1) / batches,
      [self = stream.get(), first, batches, end](int64_t number, const std::stop_token& stop) {
        const int64_t from = first + number * batches;
        return self->ReadChunk(from, std::min(from + batches, end), stop);
      },
      &BytesOf);
  return stream;
}

int64_t BatchStream::num_batches() const {
  return (set_->size() + plan_.batch_size - 1) / plan_.batch_size;
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
  const int64_t first = from % num_batches() * plan_.batch_size;
  const int64_t last = std::min(first + (to - from) * plan_.batch_size, num_samples());
  std::vector<int64_t> ordinals(static_cast<size_t>(last - first));
  order_->Get(context.epoch, first, ordinals);
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
  ASSIGN_OR_RETURN(Rows rows, ReadRows(*set_, ordinals, reader_, run_graph, stop));
  batch::Batch all;
  if (!rows.pieces.empty()) {
    ASSIGN_OR_RETURN(
        all, rows.pieces.size() == 1 ? std::move(rows.pieces[0]) : batch::Concatenate(rows.pieces));
  }
  return Cut(all, ordinals, from, rows.reason);
}

// The rows stand in the order of `ordinals`, with holes: walks along both. The rows of a batch are
// neighbours.
absl::StatusOr<BatchStream::Chunk> BatchStream::Cut(const batch::Batch& rows,
                                                    std::span<const int64_t> ordinals, int64_t from,
                                                    const std::string& reason) const {
  std::span<const int64_t> have;
  if (rows.num_rows() > 0) have = rows.Find(batch::kOrdinalColumn)->Values<int64_t>();
  const bool is_whole = have.size() == ordinals.size();
  Chunk chunk;
  for (int64_t row = 0; !ordinals.empty(); ++from) {
    const auto wanted =
        ordinals.first(std::min(ordinals.size(), static_cast<size_t>(plan_.batch_size)));
    ordinals = ordinals.subspan(wanted.size());
    const int64_t first = row;
    if (is_whole) row += std::ssize(wanted);
    for (size_t i = 0; i < wanted.size() && !is_whole; ++i) {
      if (row < std::ssize(have) && have[static_cast<size_t>(row)] == wanted[i]) ++row;
    }
    TrainingBatch cut{.epoch = from / num_batches(), .index = from % num_batches()};
    cut.num_skipped = std::ssize(wanted) - (row - first);
    if (row > first) cut.rows = batch::Slice(rows, first, row);
    if (row > first && settle_) RETURN_IF_ERROR(settle_(cut.rows));
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

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
// Samples run through the graph together where batches are small: its columns stay in the cache.
constexpr int64_t kGraphSamples = 2048;

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

// Walks along rows that stand in the order of the ordinals asked for, with holes, in pieces.
class RowCursor {
 public:
  explicit RowCursor(std::span<const batch::Batch> pieces) : pieces_(pieces) {}

  // The rows of the next ordinals, as far as there are any.
  absl::StatusOr<batch::Batch> Take(std::span<const int64_t> wanted) {
    std::vector<batch::Batch> parts;
    for (size_t next = 0; next < wanted.size() && piece_ < pieces_.size();) {
      const batch::Batch& piece = pieces_[piece_];
      const int64_t first = row_;
      next = Walk(piece, wanted, next);
      if (row_ > first) parts.push_back(batch::Slice(piece, first, row_));
      if (row_ < piece.num_rows()) break;
      ++piece_;
      row_ = 0;
    }
    if (parts.empty()) return batch::Batch();
    if (parts.size() == 1) return std::move(parts[0]);
    return batch::Concatenate(parts);
  }

 private:
  // Passes the rows of a piece that are wanted from `next` on; returns what comes after them.
  size_t Walk(const batch::Batch& piece, std::span<const int64_t> wanted, size_t next) {
    if (piece.num_rows() == 0) return next;
    const auto have = piece.Find(batch::kOrdinalColumn)->Values<int64_t>();
    for (; next < wanted.size() && row_ < piece.num_rows(); ++next) {
      if (have[static_cast<size_t>(row_)] == wanted[next]) ++row_;
    }
    return next;
  }

  const std::span<const batch::Batch> pieces_;
  size_t piece_ = 0;
  int64_t row_ = 0;
};

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
  // Whole batches, so that most of them need not be put together.
  const int64_t max_rows =
      std::max<int64_t>(1, kGraphSamples / plan_.batch_size) * plan_.batch_size;
  ASSIGN_OR_RETURN(const Rows rows, ReadRows(*set_, ordinals, reader_, max_rows, run_graph, stop));
  return Cut(rows, ordinals, from);
}

absl::StatusOr<BatchStream::Chunk> BatchStream::Cut(const Rows& rows,
                                                    std::span<const int64_t> ordinals,
                                                    int64_t from) const {
  RowCursor cursor(rows.pieces);
  Chunk chunk;
  for (; !ordinals.empty(); ++from) {
    const auto wanted =
        ordinals.first(std::min(ordinals.size(), static_cast<size_t>(plan_.batch_size)));
    ordinals = ordinals.subspan(wanted.size());
    TrainingBatch cut{.epoch = from / num_batches(), .index = from % num_batches()};
    ASSIGN_OR_RETURN(cut.rows, cursor.Take(wanted));
    cut.num_skipped = std::ssize(wanted) - cut.rows.num_rows();
    if (cut.num_skipped > 0) cut.reason = rows.reason;
    if (cut.rows.num_rows() > 0 && settle_) RETURN_IF_ERROR(settle_(cut.rows));
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

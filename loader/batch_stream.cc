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

// The weights of the rows, by ordinal: those of the set times those of the subset.
absl::Status SetWeights(const TrainingSet& set, const Subset* subset, batch::Batch& rows) {
  const bool is_chosen = subset != nullptr && !subset->weights.empty();
  if (set.weights.empty() && !is_chosen) return absl::OkStatus();
  std::vector<float> weights;
  weights.reserve(static_cast<size_t>(rows.num_rows()));
  for (const int64_t ordinal : rows.Find(batch::kOrdinalColumn)->Values<int64_t>()) {
    float weight = set.weights.empty() ? 1 : set.weights[static_cast<size_t>(ordinal)];
    if (is_chosen) {
      const auto at = std::lower_bound(subset->ordinals.begin(), subset->ordinals.end(), ordinal);
      weight *= subset->weights[static_cast<size_t>(at - subset->ordinals.begin())];
    }
    weights.push_back(weight);
  }
  return rows.Set(batch::MakeColumn<float>(batch::kWeightColumn, weights));
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
  stream->order_ = plan.draw
                       ? MakeDrawnOrder(plan.order, plan.shuffle, stream->set_->size(), *plan.draw)
                       : MakeSampleOrder(plan.order, plan.shuffle, stream->num_samples());
  stream->kept_ = options.kept;
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

int64_t BatchStream::num_samples() const {
  if (plan_.subset != nullptr) return plan_.subset->size();
  return plan_.draw ? plan_.draw->samples : set_->size();
}

int64_t BatchStream::num_batches() const {
  return (num_samples() + plan_.batch_size - 1) / plan_.batch_size;
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

std::vector<int64_t> BatchStream::OrdinalsOf(int64_t epoch, int64_t first, int64_t last) const {
  std::vector<int64_t> ordinals(static_cast<size_t>(last - first));
  order_->Get(epoch, first, ordinals);
  if (plan_.subset != nullptr) {
    for (int64_t& ordinal : ordinals) ordinal = plan_.subset->ordinals[ordinal];
  }
  return ordinals;
}

absl::StatusOr<Rows> BatchStream::Read(std::span<const int64_t> ordinals,
                                       const transform::RunContext& context,
                                       const std::stop_token& stop) const {
  const auto run_graph = [&](batch::Batch& piece, Rows& rows) -> absl::Status {
    ASSIGN_OR_RETURN(const transform::Transformed transformed,
                     graph_->Run(piece, fitted_.get(), context));
    if (!transformed.bad.empty() && rows.reason.empty()) {
      const transform::BadSample& bad = transformed.bad[0];
      rows.reason = fmt::format("sample {}: {}", piece.keys()[bad.row], bad.reason);
    }
    ASSIGN_OR_RETURN(piece, Narrow(transformed.batch));
    if (kept_ != nullptr) kept_->Keep(piece);
    return absl::OkStatus();
  };
  // Whole batches, so that most of them need not be put together.
  const int64_t max_rows =
      std::max<int64_t>(1, kGraphSamples / plan_.batch_size) * plan_.batch_size;
  return ReadRows(*set_, ordinals, reader_, max_rows, run_graph, stop);
}

absl::StatusOr<BatchStream::Chunk> BatchStream::ReadBatches(int64_t from, int64_t to,
                                                            const std::stop_token& stop) const {
  // What random ops draw depends on the epoch, so samples of several epochs are not run together.
  const transform::RunContext context{.training = plan_.training,
                                      .seed = plan_.shuffle.seed,
                                      .trigger = plan_.shuffle.trigger,
                                      .epoch = plan_.first_epoch + from / num_batches()};
  const int64_t first = from % num_batches() * plan_.batch_size;
  const int64_t last = std::min(first + (to - from) * plan_.batch_size, num_samples());
  const std::vector<int64_t> ordinals = OrdinalsOf(context.epoch, first, last);
  if (kept_ == nullptr) {
    ASSIGN_OR_RETURN(const Rows rows, Read(ordinals, context, stop));
    return Cut(rows, ordinals, from);
  }
  std::vector<int64_t> places = kept_->Find(ordinals);
  std::vector<int64_t> unknown;
  for (size_t i = 0; i < ordinals.size(); ++i) {
    if (places[i] == DecodedSamples::kUnknown) unknown.push_back(ordinals[i]);
  }
  Rows rows;
  if (!unknown.empty()) {
    ASSIGN_OR_RETURN(rows, Read(unknown, context, stop));
    if (unknown.size() == ordinals.size() && rows.num_skipped == 0) {
      return Cut(rows, ordinals, from);
    }
  }
  return CutKept(rows, ordinals, std::move(places), from);
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
    TrainingBatch cut{.epoch = plan_.first_epoch + from / num_batches(),
                      .index = from % num_batches()};
    ASSIGN_OR_RETURN(cut.rows, cursor.Take(wanted));
    RETURN_IF_ERROR(Finish(cut, wanted, rows.reason));
    chunk.push_back(std::move(cut));
  }
  return chunk;
}

absl::StatusOr<BatchStream::Chunk> BatchStream::CutKept(const Rows& rows,
                                                        std::span<const int64_t> ordinals,
                                                        std::vector<int64_t> places,
                                                        int64_t from) const {
  batch::Batch read;
  if (rows.pieces.size() == 1) read = rows.pieces[0];
  if (rows.pieces.size() > 1) {
    ASSIGN_OR_RETURN(read, batch::Concatenate(rows.pieces));
  }
  // The rows read are those of the unknown ones, in the same order, with holes.
  std::vector<int64_t> holes;
  int64_t row = 0;
  const auto have = read.num_rows() > 0 ? read.Find(batch::kOrdinalColumn)->Values<int64_t>()
                                        : std::span<const int64_t>();
  for (size_t i = 0; i < ordinals.size(); ++i) {
    if (places[i] != DecodedSamples::kUnknown) continue;
    if (row < read.num_rows() && have[row] == ordinals[i]) {
      places[i] = DecodedSamples::PlaceOfRead(row++);
    } else {
      places[i] = DecodedSamples::kHole;
      holes.push_back(ordinals[i]);
    }
  }
  kept_->KeepHoles(holes, rows.reason);
  const std::string reason = rows.reason.empty() ? kept_->reason() : rows.reason;
  Chunk chunk;
  const auto size = static_cast<size_t>(plan_.batch_size);
  for (size_t begin = 0; begin < ordinals.size(); begin += size, ++from) {
    const auto wanted = ordinals.subspan(begin, std::min(size, ordinals.size() - begin));
    std::vector<int64_t> good;
    std::vector<int64_t> good_places;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (places[begin + i] == DecodedSamples::kHole) continue;
      good.push_back(wanted[i]);
      good_places.push_back(places[begin + i]);
    }
    TrainingBatch cut{.epoch = plan_.first_epoch + from / num_batches(),
                      .index = from % num_batches()};
    if (!good.empty()) {
      ASSIGN_OR_RETURN(cut.rows, kept_->Gather(good, good_places, read));
    }
    RETURN_IF_ERROR(Finish(cut, wanted, reason));
    chunk.push_back(std::move(cut));
  }
  return chunk;
}

absl::Status BatchStream::Finish(TrainingBatch& cut, std::span<const int64_t> wanted,
                                 const std::string& reason) const {
  cut.num_skipped = std::ssize(wanted) - cut.rows.num_rows();
  if (cut.num_skipped > 0) cut.reason = reason;
  if (cut.rows.num_rows() == 0) return absl::OkStatus();
  RETURN_IF_ERROR(SetWeights(*set_, plan_.subset.get(), cut.rows));
  return settle_ ? settle_(cut.rows) : absl::OkStatus();
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

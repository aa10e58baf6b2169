#include "loader/batch_stream.h"

#include <algorithm>
#include <utility>

namespace tidemill::loader {
namespace {

constexpr int64_t kWindow = 4;
// Samples read together where they are small: enough to pay for a call.
constexpr int64_t kMaxChunkSamples = 8192;
constexpr std::string_view kInput = "input";
constexpr std::string_view kTarget = "target";

int64_t BytesOf(const batch::Batch& rows) {
  int64_t bytes = 0;
  for (const batch::Column& column : rows.columns())
    bytes += static_cast<int64_t>(column.data.size());
  return bytes;
}

// Keeps the columns that training needs and checks their types.
absl::StatusOr<batch::Batch> Narrow(const batch::Batch& transformed) {
  batch::Batch rows(transformed.num_rows());
  for (const std::string_view name :
       {batch::kKeyColumn, batch::kOrdinalColumn, batch::kWeightColumn, kInput, kTarget}) {
    const batch::Column* const column = transformed.Find(name);
    if (column == nullptr) {
      if (name == batch::kWeightColumn) continue;
      return InvalidArgument("the graph gives no column `{}`", name);
    }
    RETURN_IF_ERROR(rows.Set(*column));
  }
  RETURN_IF_ERROR(rows.Get(kInput, batch::DataType::kFloat32).status());
  const batch::DataType target = rows.Find(kTarget)->type;
  if (target != batch::DataType::kInt64 && target != batch::DataType::kFloat32) {
    return InvalidArgument("`target` is {}, not int64 or float32", batch::NameOf(target));
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
  std::unique_ptr<BatchStream> stream(new BatchStream());
  stream->set_ = std::move(set);
  stream->reader_ = std::move(reader);
  stream->graph_ = std::move(graph);
  stream->fitted_ = std::move(fitted);
  stream->plan_ = plan;
  stream->options_ = options;
  stream->end_ = stream->num_batches() * plan.epochs;
  stream->ahead_from_ = std::min(plan.first_batch, stream->end_);
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
  std::vector<int64_t> ordinals;
  std::vector<int64_t> ends;  // Of each batch, in `ordinals`.
  for (int64_t batch = from; batch < to; ++batch) {
    const std::vector<int64_t> more = OrdinalsOf(batch);
    ordinals.insert(ordinals.end(), more.begin(), more.end());
    ends.push_back(static_cast<int64_t>(ordinals.size()));
  }
  const auto transform = [this](batch::Batch& piece, Rows& rows) -> absl::Status {
    ASSIGN_OR_RETURN(const transform::Transformed transformed, graph_->Run(piece, fitted_.get()));
    if (!transformed.bad.empty() && rows.reason.empty()) {
      const transform::BadSample& bad = transformed.bad[0];
      rows.reason = fmt::format("sample {}: {}", piece.keys()[bad.row], bad.reason);
    }
    ASSIGN_OR_RETURN(piece, Narrow(transformed.batch));
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(Rows rows, ReadRows(set_, ordinals, reader_, transform, stop));
  batch::Batch all;
  if (!rows.pieces.empty()) {
    ASSIGN_OR_RETURN(
        all, rows.pieces.size() == 1 ? std::move(rows.pieces[0]) : batch::Concatenate(rows.pieces));
  }
  // The rows stand in the order of `ordinals`, with holes: walk along both.
  const std::span<const int64_t> have = all.num_rows() == 0
                                            ? std::span<const int64_t>()
                                            : all.Find(batch::kOrdinalColumn)->Values<int64_t>();
  Chunk chunk;
  int64_t at = 0;
  size_t row = 0;
  for (int64_t batch = from; batch < to; ++batch) {
    TrainingBatch cut{.epoch = batch / num_batches(), .index = batch % num_batches()};
    std::vector<int64_t> taken;
    for (; at < ends[batch - from]; ++at) {
      if (row < have.size() && have[row] == ordinals[at])
        taken.push_back(static_cast<int64_t>(row++));
      else
        ++cut.num_skipped;
    }
    if (!taken.empty()) cut.rows = all.Take(taken);
    if (cut.num_skipped > 0) cut.reason = rows.reason;
    chunk.push_back(std::move(cut));
  }
  return chunk;
}

void BatchStream::StartReadingAhead() {
  const int64_t num_chunks = (end_ - ahead_from_ + chunk_batches_ - 1) / chunk_batches_;
  ahead_ = std::make_unique<ReadAhead<Chunk>>(
      ReadAhead<Chunk>::Options{.num_threads = options_.num_threads, .window = kWindow}, 0,
      num_chunks, [this](int64_t number, const std::stop_token& stop) {
        const int64_t from = ahead_from_ + number * chunk_batches_;
        return ReadChunk(from, std::min(from + chunk_batches_, end_), stop);
      });
}

absl::StatusOr<std::optional<TrainingBatch>> BatchStream::Next() {
  if (!started_ && ahead_from_ < end_) {
    // The first batch is read alone: its size tells how many to read together.
    ASSIGN_OR_RETURN(ready_, ReadChunk(ahead_from_, ahead_from_ + 1, {}));
    const int64_t bytes = std::max<int64_t>(1, BytesOf(ready_[0].rows));
    chunk_batches_ = std::max<int64_t>(
        1, std::min(options_.bytes_ahead / kWindow / bytes, kMaxChunkSamples / plan_.batch_size));
    ++ahead_from_;
    StartReadingAhead();
  }
  started_ = true;
  if (ready_.empty() && ahead_ != nullptr) {
    ASSIGN_OR_RETURN(std::optional<Chunk> chunk, ahead_->Next());
    if (chunk) ready_ = *std::move(chunk);
    std::reverse(ready_.begin(), ready_.end());
  }
  if (ready_.empty()) return std::optional<TrainingBatch>();
  std::optional<TrainingBatch> next(std::move(ready_.back()));
  ready_.pop_back();
  return next;
}

}  // namespace tidemill::loader

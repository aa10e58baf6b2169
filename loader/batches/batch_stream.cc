#include "loader/batches/batch_stream.h"

#include <algorithm>
#include <utility>

#include "batch/slice.h"

namespace tidemill::loader {
namespace {

// Makes enough chunks of the bytes ahead that all threads have something to do.
constexpr int64_t kMinChunks = 4;
constexpr int64_t kChunksPerThread = 2;

int64_t BytesOf(const std::vector<TrainingBatch>& chunk) {
  int64_t bytes = 0;
  for (const TrainingBatch& batch : chunk) bytes += batch::BytesOf(batch.rows);
  return bytes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BatchStream>> BatchStream::Create(BatchParts parts,
                                                                 const BatchPlan& plan,
                                                                 const StreamOptions& options) {
  std::unique_ptr<BatchStream> stream(new BatchStream());
  ASSIGN_OR_RETURN(stream->maker_, BatchMaker::Create(std::move(parts), plan));
  stream->settle_ = options.settle;
  stream->num_threads_ = options.num_threads;
  stream->opened_ns_ = transform::ThreadTime::WallNow();
  const BatchMaker& maker = *stream->maker_;
  const int64_t end = maker.end();
  const int64_t first = std::min(plan.first_batch, end);
  const int64_t batches = maker.BatchesTogether(
      options.bytes_ahead / std::max<int64_t>(kMinChunks, kChunksPerThread * options.num_threads));
  stream->ahead_ = std::make_unique<ReadAhead<Chunk>>(
      ReadAhead<Chunk>::Options{.num_threads = options.num_threads,
                                .bytes = options.bytes_ahead,
                                .expected_bytes = batches * maker.batch_bytes()},
      // On a grid that does not depend on the first: chunks do not divide windows.
      first / batches, first < end ? (end + batches - 1) / batches : first / batches,
      [self = stream.get(), first, batches, end](int64_t number, const std::stop_token& stop) {
        const int64_t from = number * batches;
        return self->MakeChunk(std::max(first, from), std::min(from + batches, end), stop);
      },
      &BytesOf);
  return stream;
}

absl::StatusOr<BatchStream::Chunk> BatchStream::MakeChunk(int64_t from, int64_t to,
                                                          const std::stop_token& stop) const {
  ASSIGN_OR_RETURN(Chunk chunk, maker_->Make(from, to, stop));
  for (TrainingBatch& batch : chunk) {
    if (settle_ && batch.rows.num_rows() > 0) RETURN_IF_ERROR(settle_(batch.rows));
  }
  return chunk;
}

PathWork BatchStream::work() const {
  PathWork work = maker_->work();
  work.capacity_ns = (transform::ThreadTime::WallNow() - opened_ns_) * num_threads_;
  return work;
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

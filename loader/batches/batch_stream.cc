#include "loader/batches/batch_stream.h"

#include <algorithm>
#include <utility>

#include "batch/slice.h"

namespace tidemill::loader {
namespace {

// Makes enough chunks of the bytes ahead that all threads have something to do.
constexpr int64_t kMinChunks = 4;
constexpr int64_t kChunksPerThread = 2;
// The tuner looks after this time, and not before each thread has made a chunk.
constexpr int64_t kLookNanos = 200'000'000;

int64_t BytesOf(const std::vector<TrainingBatch>& chunk) {
  int64_t bytes = 0;
  for (const TrainingBatch& batch : chunk) bytes += batch::BytesOf(batch.rows);
  return bytes;
}

}  // namespace

BatchStream::BatchStream(const StreamOptions& options)
    : capacity_(options.num_threads),
      tuner_(options.num_threads, std::max(options.num_threads, options.most_threads)),
      settle_(options.settle) {}

absl::StatusOr<std::unique_ptr<BatchStream>> BatchStream::Create(BatchParts parts,
                                                                 const BatchPlan& plan,
                                                                 const StreamOptions& options) {
  std::unique_ptr<BatchStream> stream(new BatchStream(options));
  ASSIGN_OR_RETURN(stream->maker_, BatchMaker::Create(std::move(parts), plan));
  const BatchMaker& maker = *stream->maker_;
  const int64_t end = maker.end();
  const int64_t first = std::min(plan.first_batch, end);
  const int most_threads = std::max(options.num_threads, options.most_threads);
  const int64_t batches = maker.BatchesTogether(
      options.bytes_ahead / std::max<int64_t>(kMinChunks, kChunksPerThread * most_threads));
  stream->ahead_ = std::make_unique<ReadAhead<Chunk>>(
      ReadAhead<Chunk>::Options{.num_threads = options.num_threads,
                                .most_threads = most_threads,
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
  clock_.Fill(tuner_.threads(), work);
  work.capacity_ns = capacity_.Nanos();
  return work;
}

void BatchStream::Tune() {
  const int64_t now = transform::ThreadTime::WallNow();
  if (taken_.since_ns == 0) {
    // The first chunk: those that wait for it have not been of use yet.
    taken_ = {.since_ns = now, .before = work()};
    return;
  }
  const auto elapsed = static_cast<double>(now - taken_.since_ns);
  if (elapsed < kLookNanos || taken_.chunks < tuner_.threads()) return;
  PathWork so_far = work();
  const int before = tuner_.threads();
  const int threads =
      tuner_.Look(static_cast<double>(taken_.waited_ns) / elapsed,
                  static_cast<double>(taken_.rows) / elapsed * 1e9, Since(taken_.before, so_far));
  taken_ = {.since_ns = now, .before = std::move(so_far)};
  if (threads == before) return;
  capacity_.SetThreads(threads);
  ahead_->SetThreads(threads);
}

absl::StatusOr<std::optional<TrainingBatch>> BatchStream::Next() {
  while (ready_.empty()) {
    const int64_t asked = transform::ThreadTime::WallNow();
    ASSIGN_OR_RETURN(std::optional<Chunk> chunk, ahead_->Next());
    if (!chunk) return std::optional<TrainingBatch>();
    taken_.waited_ns += transform::ThreadTime::WallNow() - asked;
    ++taken_.chunks;
    for (const TrainingBatch& batch : *chunk) taken_.rows += batch.rows.num_rows();
    ready_ = *std::move(chunk);
    std::reverse(ready_.begin(), ready_.end());
    if (tuner_.is_tuning()) Tune();
  }
  std::optional<TrainingBatch> next(std::move(ready_.back()));
  ready_.pop_back();
  return next;
}

}  // namespace tidemill::loader

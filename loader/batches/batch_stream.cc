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

ThreadTuner TunerOf(const StreamOptions& options) {
  const int most = std::max(options.num_threads, options.most_threads);
  const int found = options.found_threads == nullptr ? 0 : options.found_threads->load();
  return {options.num_threads, most, std::clamp(found, options.num_threads, most)};
}

}  // namespace

BatchStream::BatchStream(const StreamOptions& options)
    : options_(options), tuner_(TunerOf(options)), clock_(tuner_.threads()) {}

absl::StatusOr<std::unique_ptr<BatchStream>> BatchStream::Create(BatchParts parts,
                                                                 const BatchPlan& plan,
                                                                 const StreamOptions& options) {
  std::unique_ptr<BatchStream> stream(new BatchStream(options));
  ASSIGN_OR_RETURN(stream->maker_, BatchMaker::Create(std::move(parts), plan));
  const BatchMaker& maker = *stream->maker_;
  const int threads = stream->tuner_.threads();
  const int64_t first = std::min(plan.first_batch, maker.end());
  // With a stride, positions are places of the stride.
  const bool in_turn = options.stride > 1;
  const int64_t num_places = (maker.end() - first + options.stride - 1) / options.stride;
  stream->ahead_ = std::make_unique<ReadAhead<Chunk>>(
      ReadAhead<Chunk>::Options{.num_threads = threads,
                                .together = stream->Together(threads),
                                .bytes = options.bytes_ahead,
                                .expected_bytes = maker.batch_bytes()},
      in_turn ? 0 : first, in_turn ? num_places : maker.end(),
      [self = stream.get()](int64_t from, int64_t to, const std::stop_token& stop) {
        return self->MakeChunk(from, to, stop);
      },
      &BytesOf);
  return stream;
}

int64_t BatchStream::Together(int num_threads) const {
  return maker_->BatchesTogether(options_.bytes_ahead /
                                 std::max<int64_t>(kMinChunks, kChunksPerThread * num_threads));
}

absl::StatusOr<BatchStream::Chunk> BatchStream::MakeChunk(int64_t from, int64_t to,
                                                          const std::stop_token& stop) const {
  ASSIGN_OR_RETURN(Chunk chunk,
                   options_.stride > 1 ? MakeInTurn(from, to, stop) : maker_->Make(from, to, stop));
  for (TrainingBatch& batch : chunk) {
    if (options_.settle && batch.rows.num_rows() > 0) {
      RETURN_IF_ERROR(options_.settle(batch.rows));
    }
  }
  return chunk;
}

absl::StatusOr<BatchStream::Chunk> BatchStream::MakeInTurn(int64_t from, int64_t to,
                                                           const std::stop_token& stop) const {
  Chunk chunk;
  for (int64_t place = from; place < to; ++place) {
    const int64_t number = maker_->plan().first_batch + place * options_.stride;
    ASSIGN_OR_RETURN(Chunk one, maker_->Make(number, number + 1, stop));
    chunk.push_back(std::move(one.front()));
  }
  return chunk;
}

PathWork BatchStream::work() const {
  PathWork work = maker_->work();
  clock_.Fill(work);
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
  if (threads != before) SetThreads(threads);
  if (options_.found_threads != nullptr) *options_.found_threads = tuner_.settled();
}

void BatchStream::SetThreads(int num_threads) {
  clock_.SetThreads(num_threads);
  ahead_->Set(num_threads, Together(num_threads));
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

// Makes the rows of a plan together with other consumers on this host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "loader/batches/batch_ordinals.h"
#include "loader/batches/batch_parts.h"
#include "loader/batches/row_maker.h"
#include "loader/path/path_work.h"
#include "loader/shared/shared_stream.h"
#include "loader/shared/stream_progress.h"
#include "loader/training_set.h"

namespace tidemill::loader {

// Whether the rows of a plan can be shared, and BatchParts::sharing asks for it. Not for buckets,
// mixes and slices, whose positions depend on the size of batches, nor with BatchParts::kept.
bool CanShare(const BatchParts& parts, const BatchPlan& plan);

// Returns the number of positions of an epoch in a chunk: a power of two from 32 to 4096, whose
// rows have about two megabytes, or more where rows are large. A function of the graph alone, so
// that consumers with other sizes of batches have the same chunks.
int64_t ChunkSize(const transform::Graph& graph);

// Returns the name of the stream: a SHA-256 of all that its rows and their order depend on, in
// hexadecimal. Weights of a subset, the size of batches and the number of epochs are left out.
std::string StreamName(const BatchParts& parts, const BatchPlan& plan);

// Joins the stream when the first rows are made. When it cannot, it makes all rows alone, and
// the log says so once. Thread-safe.
class SharedRows {
 public:
  // The arguments must outlive this object. CanShare() must be true.
  SharedRows(const BatchParts& parts, const BatchOrdinals& ordinals, const RowMaker& rows);

  // Returns the rows of the batches [from, to), which must belong to one epoch. `wanted` are their
  // ordinals. Returns the errors of RowMaker::Make().
  absl::StatusOr<Rows> Make(std::span<const int64_t> wanted, int64_t from, int64_t to,
                            const std::stop_token& stop) ABSL_LOCKS_EXCLUDED(mutex_);

  SharedWork work() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Returns nullptr when the stream cannot be joined.
  SharedStream* Joined() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the chunk, counted through all epochs, of the first position of a batch.
  int64_t ChunkOf(int64_t number) const;
  // The batches [from, to).
  struct Batches {
    int64_t from = 0;
    int64_t to = 0;
  };
  absl::StatusOr<Rows> MakeShared(SharedStream& stream, std::span<const int64_t> wanted,
                                  Batches batches, const std::stop_token& stop);
  // Adds the rows of the positions [at.from, at.to) of an epoch, which are in one chunk.
  absl::Status AddChunk(SharedStream& stream, int64_t from, Positions at,
                        const std::stop_token& stop, Rows& rows);

  const BatchParts& parts_;
  const BatchOrdinals& ordinals_;
  const RowMaker& rows_;
  const int64_t chunk_size_;
  const int64_t chunks_of_epoch_;
  StreamProgress progress_;
  mutable Mutex mutex_;
  bool has_tried_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<SharedStream> stream_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::loader

// Keeps track of a lane: the batches that have arrived, the next batch to deliver, and the progress
// of the consumer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "preprocess/transport/batch_message.h"

namespace tidemill::preprocess {

// Delivers each batch once, ordered by number, however batches arrive. A batch that arrives again
// is dropped. Holds the batches that have arrived and were not taken. Memory is bounded by the
// window of batches in flight, however many were taken before. Thread-compatible.
class Arrivals {
 public:
  // The connection that gets the credit for a message back once its batch is taken.
  struct Origin {
    int64_t connection = 0;
    int64_t bytes = 0;
  };
  struct Arrival {
    BatchMessage message;
    // std::nullopt for a batch that was made in this process.
    std::optional<Origin> origin = std::nullopt;
  };

  // Covers the batches [first, end).
  Arrivals(int64_t first, int64_t end) : end_(end), done_before_(first < end ? first : end) {}

  // Adds a batch that has arrived. Returns false when it is dropped: it arrived before, or is not
  // of this lane.
  bool Add(BatchMessage message, const std::optional<Origin>& origin);

  // Returns the next batch to deliver, if it has arrived.
  std::optional<Arrival> Take();

  // Whether a worker may send this batch. It may have arrived before.
  bool Has(int64_t number) const { return number >= 0 && number < end_; }

  // Whether all batches are taken.
  bool ended() const { return done_before_ == end_; }
  // All batches before this one are taken. The consumer waits for this one.
  int64_t done_before() const { return done_before_; }

 private:
  const int64_t end_;
  int64_t done_before_;
  std::map<int64_t, Arrival> waiting_;
};

}  // namespace tidemill::preprocess

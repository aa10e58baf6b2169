// The consumer's end of a ring.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "base/mutex.h"
#include "base/status.h"
#include "preprocess/ring/ring_memory.h"
#include "preprocess/transport/batch_message.h"

namespace tidemill::preprocess {

// Pop() and Await() belong to one thread; the rest is thread-safe. Messages are views of the ring.
// Their place is released when the last of their buffers is dropped: on any thread, in any order,
// and also after the last read. Data that the other end writes is checked before it is used. The
// bytes of columns belong to the worker until they are released. The worker is trusted not to
// change them.
class RingReader : public std::enable_shared_from_this<RingReader> {
 public:
  // DATA_LOSS when the descriptor is not of such a ring.
  static absl::StatusOr<std::shared_ptr<RingReader>> Open(Descriptor descriptor, size_t num_lanes,
                                                          bool rows_are_writable = false);

  struct Popped {
    BatchMessage message = {};
    int64_t num_bytes = 0;
  };
  // Returns std::nullopt when there is no message now. DATA_LOSS when the ring cannot be used any
  // more.
  absl::StatusOr<std::optional<Popped>> Pop();
  // As above, with the encoded batch instead of its rows, which are empty. It is for callers that
  // decode themselves.
  struct PoppedBytes {
    BatchMessage message = {};
    batch::Buffer bytes = {};
  };
  absl::StatusOr<std::optional<PoppedBytes>> PopBytes();

  void Grant(int64_t bytes, std::span<const int64_t> wanted);

  // Tells the other end that this end no longer reads. It would learn this from the socket, too,
  // but later.
  void Leave();

  // See RingWriter::seen().
  uint32_t seen() const { return memory_.control().consumer_bell.seen(); }
  void Await(uint32_t seen, std::chrono::milliseconds time);
  void Wake() { memory_.control().consumer_bell.Ring(); }

  // The number of batches in use.
  int64_t num_views() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class View;

  explicit RingReader(RingMemory memory)
      : memory_(std::move(memory)), file_bytes_(memory_.FileBytes()) {}
  absl::Status Check(const RingSlot& slot);
  void Release(uint64_t offset) ABSL_LOCKS_EXCLUDED(mutex_);
  // Sends as many releases as the queue has room for.
  void FlushReleases() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  RingMemory memory_;
  int64_t file_bytes_;        // At least this; the file may have grown since.
  uint64_t filled_head_ = 0;  // This end's counter. The copy in the ring is never read.
  mutable Mutex mutex_;
  std::deque<uint64_t> releases_ ABSL_GUARDED_BY(mutex_);  // The releases not passed on yet.
  uint64_t released_tail_ ABSL_GUARDED_BY(mutex_) = 0;     // This end's counter, likewise.
  int64_t num_views_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tidemill::preprocess

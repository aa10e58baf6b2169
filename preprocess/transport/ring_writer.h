// The worker's end of a ring.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "preprocess/ring/ring_extents.h"
#include "preprocess/ring/ring_memory.h"
#include "preprocess/transport/batch_message.h"

namespace tidemill::preprocess {

// Whether a reservation may extend the ring beyond its size.
enum class RingGrowth { kNever, kWhereNeeded };

// Belongs to one thread, except Wake(). Data that the other end writes is checked. DATA_LOSS means
// that the ring cannot be used any more.
//
//   ASSIGN_OR_RETURN(auto space, writer->Reserve(size, 0, RingGrowth::kNever));
//   if (space.has_value()) {
//     Fill(space->bytes);                          // With an encoded batch, in place.
//     writer->Commit(*space, {.lane = 1, .number = 7});
//   }
class RingWriter {
 public:
  // Returns the errors of RingMemory::Create.
  static absl::StatusOr<std::unique_ptr<RingWriter>> Create(int64_t ring_bytes, size_t num_lanes);

  // The descriptor to pass to the other end.
  int descriptor() const { return memory_.descriptor(); }

  // The place for one message, 64-byte aligned. It must be committed or cancelled. `bytes` may be
  // 0.
  struct Space {
    std::span<std::byte> bytes = {};
    int64_t offset = 0;
    int64_t reason_bytes = 0;
  };
  // Returns std::nullopt when there is no room now. INVALID_ARGUMENT when the message is too long
  // for any ring. RESOURCE_EXHAUSTED when the ring may grow and there is not enough memory.
  absl::StatusOr<std::optional<Space>> Reserve(int64_t bytes, int64_t reason_bytes,
                                               RingGrowth growth);
  // Sends the message that was written into the space. The rows of `message` are ignored. Its
  // reason must have the length that was reserved.
  void Commit(const Space& space, const BatchMessage& message);
  // Reserves, encodes (one copy of each column) and commits. Returns false when there is no room
  // now.
  absl::StatusOr<bool> Send(const BatchMessage& message, RingGrowth growth);

  // Frees the space that the other end has released.
  absl::Status TakeBack();
  struct Grant {
    int64_t bytes = 0;
    std::vector<int64_t> wanted = {};
  };
  // Returns the credit that was granted since the last call; std::nullopt when there was none.
  absl::StatusOr<std::optional<Grant>> TakeGrant();

  // Whether the other end has announced that it no longer reads.
  bool has_left() const { return memory_.control().has_left.load(std::memory_order_acquire) != 0; }

  // Wakes the other end. Commit() does so, too.
  void WakeReader() { memory_.control().consumer_bell.Ring(); }
  // Await() waits for a grant, a Wake() or, with `for_room`, a release since the call of seen().
  // Call seen() first, then check everything that you wait for, and then wait.
  uint32_t seen() const { return memory_.control().worker_bell.seen(); }
  void Await(uint32_t seen, bool for_room, std::chrono::milliseconds time);
  // May be called from any thread.
  void Wake() { memory_.control().worker_bell.Ring(); }

  int64_t bytes_taken() const { return extents_.bytes_taken(); }
  int64_t num_taken() const { return extents_.num_taken(); }

 private:
  explicit RingWriter(RingMemory memory);
  bool HasSlot() const;
  absl::Status Provide(int64_t offset, int64_t bytes);
  // Returns an extent to the ring. The memory of an extent beyond the regular size is returned to
  // the system.
  bool Free(int64_t offset);

  RingMemory memory_;
  RingExtents extents_;
  int64_t provided_ = 0;         // The provided memory of the regular size, from its beginning.
  uint64_t filled_tail_ = 0;     // This end's counter. The copy in the ring is never read.
  uint64_t released_head_ = 0;   // This end's counter, likewise.
  uint64_t granted_ = 0;         // As last seen.
  std::vector<int64_t> wanted_;  // As last seen.
};

}  // namespace tidemill::preprocess

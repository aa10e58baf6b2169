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
#include "preprocess/transport/batch_message.h"
#include "preprocess/transport/ring_extents.h"
#include "preprocess/transport/ring_memory.h"

namespace tidemill::preprocess {

// Whether a reservation may make the ring longer than it is to be.
enum class RingGrowth { kNever, kWhereNeeded };

// Belongs to one thread, but for Wake(). What the other end writes is checked: DATA_LOSS means that
// the ring is of no more use.
//
//   ASSIGN_OR_RETURN(auto space, writer->Reserve(size, 0, RingGrowth::kNever));
//   if (space.has_value()) {
//     Fill(space->bytes);                          // With an encoded batch, in place.
//     writer->Commit(*space, {.lane = 1, .number = 7});
//   }
class RingWriter {
 public:
  // Codes as RingMemory::Create.
  static absl::StatusOr<std::unique_ptr<RingWriter>> Create(int64_t ring_bytes, size_t num_lanes);

  // To be passed to the other end.
  int descriptor() const { return memory_.descriptor(); }

  // Room for one message, 64-byte aligned, which must be committed or cancelled. `bytes` may be 0.
  struct Space {
    std::span<std::byte> bytes = {};
    int64_t offset = 0;
    int64_t reason_bytes = 0;
  };
  // std::nullopt: there is no room now. INVALID_ARGUMENT for what is too long for any ring;
  // RESOURCE_EXHAUSTED, where it may grow, when there is too little memory.
  absl::StatusOr<std::optional<Space>> Reserve(int64_t bytes, int64_t reason_bytes,
                                               RingGrowth growth);
  void Cancel(const Space& space);
  // Sends what was written there. Of `message`, all but its rows; its reason is as long as was
  // said.
  void Commit(const Space& space, const BatchMessage& message);
  // Reserves, encodes (one copy of each column) and commits; false when there is no room now.
  absl::StatusOr<bool> Send(const BatchMessage& message, RingGrowth growth);

  // Makes room of what the other end has released.
  absl::Status TakeBack();
  struct Grant {
    int64_t bytes = 0;
    std::vector<int64_t> wanted = {};
  };
  // What was granted since the last call; std::nullopt when nothing was.
  absl::StatusOr<std::optional<Grant>> TakeGrant();

  // The other end has said that it reads no more.
  bool has_left() const { return memory_.control().has_left.load(std::memory_order_acquire) != 0; }

  // Wakes the other end, which Commit() does, too.
  void WakeReader() { memory_.control().consumer_bell.Ring(); }
  // Waits for a grant, a Wake() or, with `for_room`, a release since seen() was asked. The caller
  // asks seen() first, then looks at all it waits for, then waits.
  uint32_t seen() const { return memory_.control().worker_bell.seen(); }
  void Await(uint32_t seen, bool for_room, std::chrono::milliseconds time);
  // From any thread.
  void Wake() { memory_.control().worker_bell.Ring(); }

  int64_t bytes_taken() const { return extents_.bytes_taken(); }
  int64_t num_taken() const { return extents_.num_taken(); }

 private:
  explicit RingWriter(RingMemory memory);
  bool HasSlot() const;
  absl::Status Provide(int64_t offset, int64_t bytes);
  // Gives an extent back, and the memory of what lies behind the ring proper.
  bool Free(int64_t offset);

  RingMemory memory_;
  RingExtents extents_;
  int64_t provided_ = 0;         // Of the ring proper, from its beginning.
  uint64_t filled_tail_ = 0;     // Ours; the copy in the ring is written only.
  uint64_t released_head_ = 0;   // Likewise.
  uint64_t granted_ = 0;         // As seen last.
  std::vector<int64_t> wanted_;  // Likewise.
};

}  // namespace tidemill::preprocess

// The memory that the two ends of a ring share. See docs/formats/batch_ring.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/descriptor.h"
#include "base/status.h"

namespace tidemill::preprocess {

inline constexpr char kRingMagic[] = "TMRING01";
inline constexpr uint32_t kRingVersion = 2;
inline constexpr uint64_t kRingSlots = 1024;
inline constexpr size_t kMaxRingLanes = 4096;
// The alignment of everything in a ring, in bytes.
inline constexpr int64_t kRingAlignment = 64;
inline constexpr int64_t kMaxReasonBytes = 1 << 20;
inline constexpr int64_t kPageBytes = 4096;
inline constexpr int64_t kLeastRingBytes = int64_t{64} << 10;
inline constexpr int64_t kMaxRingBytes = int64_t{16} << 30;
// A range of addresses, without memory, after the addresses of the ring, for wanted batches that do
// not fit.
inline constexpr int64_t kRingReserve = int64_t{8} << 30;

struct RingHeader {
  char magic[8] = {'T', 'M', 'R', 'I', 'N', 'G', '0', '1'};
  uint32_t version = kRingVersion;
  uint32_t num_lanes = 0;
  uint64_t control_bytes = 0;
  uint64_t ring_bytes = 0;
  uint64_t limit_bytes = 0;
};

// A batch in transit. Offsets count from the beginning of the data area.
struct RingSlot {
  uint64_t offset = 0;
  uint64_t batch_bytes = 0;
  int64_t number = 0;
  int64_t num_skipped = 0;
  int64_t num_filtered = 0;
  int32_t lane = 0;
  int32_t attempt = 0;
  // The reason follows the batch, at the next multiple of 64.
  uint32_t reason_bytes = 0;
  uint32_t reserved[3] = {0, 0, 0};
};
static_assert(sizeof(RingSlot) == 64);

// A counter that one end advances and the other follows.
struct alignas(64) RingCounter {
  std::atomic<uint64_t> value = 0;
};

// A bell: one end rings, the other waits. It is a futex, so it costs nothing while no thread waits.
struct alignas(64) RingBell {
  std::atomic<uint32_t> rung = 0;
  std::atomic<uint32_t> is_waiting = 0;

  void Ring();
  uint32_t seen() const { return rung.load(std::memory_order_acquire); }
  // Waits until the bell has rung since `seen`, but at most for `time`.
  void Await(uint32_t seen, std::chrono::milliseconds time);
};

// The beginning of the memory. The document says which end may write each field.
struct RingControl {
  alignas(4096) RingHeader header;
  alignas(4096) RingCounter filled_tail;
  RingCounter filled_head;
  RingCounter released_tail;
  RingCounter released_head;
  RingCounter granted;
  RingBell worker_bell;
  RingBell consumer_bell;
  // Whether the worker waits for room, so that a release must ring.
  alignas(64) std::atomic<uint32_t> wants_room = 0;
  // Whether the consumer has stopped reading.
  alignas(64) std::atomic<uint32_t> has_left = 0;
  alignas(4096) RingSlot filled[kRingSlots];
  alignas(4096) std::atomic<uint64_t> released[kRingSlots];
  alignas(4096) std::atomic<int64_t> wanted[kMaxRingLanes];
};
inline constexpr size_t kRingControlBytes = sizeof(RingControl);
static_assert(kRingControlBytes % 4096 == 0 && std::atomic<uint64_t>::is_always_lock_free);

// A mapping of a ring's memory. It is made once and shared. Its users decide about its content.
class RingMemory {
 public:
  // Creates memory that belongs to no file system and is sealed against shrinking.
  // RESOURCE_EXHAUSTED when there is not enough memory. INVALID_ARGUMENT for an impossible size or
  // number of lanes.
  static absl::StatusOr<RingMemory> Create(int64_t ring_bytes, size_t num_lanes);
  // Opens memory that another process has created. The data can only be read unless it is writable.
  // DATA_LOSS when it is not a ring.
  static absl::StatusOr<RingMemory> Open(Descriptor descriptor, size_t num_lanes,
                                         bool is_writable = false);
  RingMemory(RingMemory&& other) noexcept;
  RingMemory& operator=(RingMemory&&) = delete;
  ~RingMemory();

  RingControl& control() const { return *static_cast<RingControl*>(start_); }
  std::byte* data() const { return static_cast<std::byte*>(start_) + kRingControlBytes; }
  int64_t ring_bytes() const { return ring_bytes_; }
  int64_t limit_bytes() const { return limit_bytes_; }
  size_t num_lanes() const { return num_lanes_; }
  int descriptor() const { return descriptor_.number(); }

  // Provides memory for a part of the data area. Extends the file if needed. RESOURCE_EXHAUSTED
  // when there is none.
  absl::Status Provide(int64_t offset, int64_t bytes) const;
  // Returns the memory to the system. It reads as zeros afterwards.
  void Discard(int64_t offset, int64_t bytes) const;
  // Returns the bytes of the data area that the file has now.
  int64_t FileBytes() const;

 private:
  RingMemory(Descriptor descriptor, void* start, int64_t ring_bytes, int64_t limit_bytes,
             size_t num_lanes);

  Descriptor descriptor_;
  void* start_;
  int64_t ring_bytes_;
  int64_t limit_bytes_;
  size_t num_lanes_;
};

}  // namespace tidemill::preprocess

#include "preprocess/transport/ring_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "batch/wire.h"
#include "preprocess/transport/codec.h"

// The two queues and the data area. Entry n of a queue is in slot n % 1024; a counter is the number
// of entries that were added to it, or taken from it.
//
//   filled, by the worker        ... | 39 | 40 | 41 | 42 | 43 |
//                                              ^              ^
//                                         filled_head    filled_tail       3 wait for the consumer
//
//   released, by the consumer    ... | 38 | 40 |
//                                    ^         ^
//                         released_head   released_tail                    2 give their places back
//
//   data, by the worker
//     0                                                   ring_bytes              limit_bytes
//     +----+----+----+------+----+------+-----------------+ - - - - - - - - - - - +
//     | 38 | 40 | 39 |  42  | 41 |  43  |  free           : only for what is waited for
//     +----+----+----+------+----+------+-----------------+ - - - - - - - - - - - +
//
// A batch keeps its place while the consumer uses any of its columns. Batches are therefore
// released in any order, here 40 before 39, and a free place can be anywhere (ring_extents.h).

namespace tidemill::preprocess {

namespace {

// Memory of the ring proper is provided in such steps.
constexpr int64_t kStepBytes = int64_t{1} << 20;
// A larger amount is not a credit.
constexpr uint64_t kMaxCredit = uint64_t{1} << 62;

int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

RingWriter::RingWriter(RingMemory memory)
    : memory_(std::move(memory)),
      extents_(memory_.ring_bytes(), memory_.limit_bytes()),
      wanted_(memory_.num_lanes(), -1) {}

absl::StatusOr<std::unique_ptr<RingWriter>> RingWriter::Create(int64_t ring_bytes,
                                                               size_t num_lanes) {
  ASSIGN_OR_RETURN(RingMemory memory, RingMemory::Create(ring_bytes, num_lanes));
  std::unique_ptr<RingWriter> writer(new RingWriter(std::move(memory)));
  RETURN_IF_ERROR(writer->Provide(0, 1));
  return writer;
}

bool RingWriter::HasSlot() const {
  const uint64_t head = memory_.control().filled_head.value.load(std::memory_order_acquire);
  return filled_tail_ - head < kRingSlots;
}

absl::Status RingWriter::Provide(int64_t offset, int64_t bytes) {
  const int64_t end = offset + bytes;
  if (end > memory_.ring_bytes()) {
    // It may begin within the ring proper.
    return memory_.Provide(offset, bytes);
  }
  if (end <= provided_) return absl::OkStatus();
  const int64_t to = std::min(RoundUp(end, kStepBytes), memory_.ring_bytes());
  RETURN_IF_ERROR(memory_.Provide(provided_, to - provided_));
  provided_ = to;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<RingWriter::Space>> RingWriter::Reserve(int64_t bytes,
                                                                     int64_t reason_bytes,
                                                                     RingGrowth growth) {
  if (bytes > kMaxBatchBytes || reason_bytes > kMaxReasonBytes) {
    return InvalidArgument(
        "a batch of {} bytes, with {} bytes about what it lacks, is too long: at most {} can be "
        "sent; make smaller batches",
        bytes, reason_bytes, kMaxBatchBytes);
  }
  if (!HasSlot()) return std::optional<Space>();
  Space space{.reason_bytes = reason_bytes};
  const int64_t size = reason_bytes == 0 ? bytes : RoundUp(bytes, kRingAlignment) + reason_bytes;
  if (size == 0) return std::optional<Space>(space);
  std::optional<int64_t> offset = extents_.Take(size);
  if (!offset.has_value() && growth == RingGrowth::kWhereNeeded) {
    offset = extents_.TakeBeyond(size);
    if (!offset.has_value()) {
      return ResourceExhausted(
          "there is no room for {} bytes next to the {} that the consumer holds", size,
          extents_.bytes_taken());
    }
  }
  if (!offset.has_value()) return std::optional<Space>();
  if (absl::Status status = Provide(*offset, size); !status.ok()) {
    Free(*offset);
    // The ring ends where memory does, as long as others may make room.
    if (growth == RingGrowth::kNever) return std::optional<Space>();
    return status;
  }
  space.offset = *offset;
  space.bytes = {memory_.data() + *offset, static_cast<size_t>(bytes)};
  return std::optional<Space>(space);
}

bool RingWriter::Free(int64_t offset) {
  const std::optional<int64_t> length = extents_.Give(offset);
  if (!length.has_value()) return false;
  // Whole pages only: the other bytes of the first and the last one may be in use.
  const int64_t begin = RoundUp(std::max(offset, memory_.ring_bytes()), kPageBytes);
  const int64_t end = (offset + *length) / kPageBytes * kPageBytes;
  if (end > begin) memory_.Discard(begin, end - begin);
  return true;
}

void RingWriter::Commit(const Space& space, const BatchMessage& message) {
  TIDEMILL_CHECK(std::ssize(message.reason) == space.reason_bytes);
  RingControl& control = memory_.control();
  const auto batch_bytes = static_cast<int64_t>(space.bytes.size());
  std::memcpy(memory_.data() + space.offset + RoundUp(batch_bytes, kRingAlignment),
              message.reason.data(), static_cast<size_t>(space.reason_bytes));
  control.filled[filled_tail_ % kRingSlots] = {
      .offset = static_cast<uint64_t>(space.offset),
      .batch_bytes = static_cast<uint64_t>(batch_bytes),
      .number = message.number,
      .num_skipped = message.num_skipped,
      .num_filtered = message.num_filtered,
      .lane = message.lane,
      .attempt = message.attempt,
      .reason_bytes = static_cast<uint32_t>(space.reason_bytes)};
  control.filled_tail.value.store(++filled_tail_, std::memory_order_release);
  control.consumer_bell.Ring();
}

absl::StatusOr<bool> RingWriter::Send(const BatchMessage& message, RingGrowth growth) {
  ASSIGN_OR_RETURN(const std::optional<Space> space,
                   Reserve(BytesOf(message), static_cast<int64_t>(message.reason.size()), growth));
  if (!space.has_value()) return false;
  if (!space->bytes.empty()) {
    std::byte* at = space->bytes.data();
    for (const batch::Buffer& part : batch::EncodeParts(message.rows)) {
      std::memcpy(at, part.data(), part.size());
      at += part.size();
    }
    TIDEMILL_CHECK(at == space->bytes.data() + space->bytes.size());
  }
  Commit(*space, message);
  return true;
}

absl::Status RingWriter::TakeBack() {
  RingControl& control = memory_.control();
  const uint64_t tail = control.released_tail.value.load(std::memory_order_acquire);
  if (tail - released_head_ > kRingSlots) {
    return DataLoss("a consumer has released {} batches at the same time", tail - released_head_);
  }
  while (released_head_ != tail) {
    const uint64_t offset =
        control.released[released_head_ % kRingSlots].load(std::memory_order_relaxed);
    if (!Free(static_cast<int64_t>(offset))) {
      return DataLoss("a consumer has released a batch at {}, but there is none", offset);
    }
    ++released_head_;
  }
  control.released_head.value.store(released_head_, std::memory_order_release);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<RingWriter::Grant>> RingWriter::TakeGrant() {
  RingControl& control = memory_.control();
  const uint64_t granted = control.granted.value.load(std::memory_order_acquire);
  const uint64_t bytes = granted - granted_;
  if (bytes > kMaxCredit) return DataLoss("a consumer sent negative credit");
  granted_ = granted;
  bool has_changed = bytes > 0;
  for (size_t i = 0; i < wanted_.size(); ++i) {
    const int64_t wanted = control.wanted[i].load(std::memory_order_relaxed);
    has_changed = has_changed || wanted != wanted_[i];
    wanted_[i] = wanted;
  }
  if (!has_changed) return std::optional<Grant>();
  return std::optional<Grant>({.bytes = static_cast<int64_t>(bytes), .wanted = wanted_});
}

void RingWriter::Await(uint32_t seen, bool for_room, std::chrono::milliseconds time) {
  RingControl& control = memory_.control();
  if (for_room) {
    control.wants_room.store(1, std::memory_order_seq_cst);
    // Space released before this store did not wake us.
    if (control.released_tail.value.load(std::memory_order_seq_cst) != released_head_) {
      time = std::chrono::milliseconds{0};
    }
  }
  if (time.count() > 0) control.worker_bell.Await(seen, time);
  if (for_room) control.wants_room.store(0, std::memory_order_relaxed);
}

}  // namespace tidemill::preprocess

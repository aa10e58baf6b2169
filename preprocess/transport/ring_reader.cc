#include "preprocess/transport/ring_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "batch/wire.h"
#include "preprocess/transport/codec.h"

namespace tidemill::preprocess {

namespace {

constexpr uint64_t kAlignedTo = kRingAlignment;

}  // namespace

// The resources that the buffers of a message share.
class RingReader::View {
 public:
  View(std::shared_ptr<RingReader> ring, uint64_t offset)
      : ring_(std::move(ring)), offset_(offset) {}
  ~View() { ring_->Release(offset_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

 private:
  const std::shared_ptr<RingReader> ring_;
  const uint64_t offset_;
};

absl::StatusOr<std::shared_ptr<RingReader>> RingReader::Open(Descriptor descriptor,
                                                             size_t num_lanes,
                                                             bool rows_are_writable) {
  ASSIGN_OR_RETURN(RingMemory memory,
                   RingMemory::Open(std::move(descriptor), num_lanes, rows_are_writable));
  return std::shared_ptr<RingReader>(new RingReader(std::move(memory)));
}

absl::Status RingReader::Check(const RingSlot& slot) {
  const auto limit = static_cast<uint64_t>(memory_.limit_bytes());
  const uint64_t reason_at = (slot.batch_bytes + kAlignedTo - 1) / kAlignedTo * kAlignedTo;
  const uint64_t bytes = reason_at + slot.reason_bytes;
  const bool has_sizes = slot.batch_bytes <= static_cast<uint64_t>(kMaxBatchBytes) &&
                         slot.reason_bytes <= kMaxReasonBytes && slot.offset <= limit &&
                         slot.offset % kAlignedTo == 0;
  if (has_sizes) {
    const auto end = static_cast<int64_t>(slot.offset + bytes);
    if (end > file_bytes_) file_bytes_ = memory_.FileBytes();
    // The padding after a batch without a reason need not be there.
    const auto used =
        static_cast<int64_t>(slot.offset + (slot.reason_bytes > 0 ? bytes : slot.batch_bytes));
    if (used <= file_bytes_ && used <= memory_.limit_bytes()) return absl::OkStatus();
  }
  return DataLoss("a worker sends {} bytes at {} in a ring of {} bytes", slot.batch_bytes,
                  slot.offset, memory_.ring_bytes());
}

absl::StatusOr<std::optional<RingReader::PoppedBytes>> RingReader::PopBytes() {
  RingControl& control = memory_.control();
  const uint64_t tail = control.filled_tail.value.load(std::memory_order_acquire);
  if (tail == filled_head_) return std::optional<PoppedBytes>();
  if (tail - filled_head_ > kRingSlots) {
    return DataLoss("a worker has sent {} batches at the same time", tail - filled_head_);
  }
  // A copy, which cannot change after it was checked.
  RingSlot slot;
  std::memcpy(&slot, &control.filled[filled_head_ % kRingSlots], sizeof(slot));
  RETURN_IF_ERROR(Check(slot));
  control.filled_head.value.store(++filled_head_, std::memory_order_release);
  PoppedBytes popped{.message = {.lane = slot.lane,
                                 .number = slot.number,
                                 .attempt = slot.attempt,
                                 .num_skipped = slot.num_skipped,
                                 .num_filtered = slot.num_filtered}};
  if (slot.batch_bytes == 0 && slot.reason_bytes == 0) {
    return std::optional<PoppedBytes>(std::move(popped));
  }
  {
    MutexLock lock(mutex_);
    ++num_views_;
  }
  const auto view = std::make_shared<const View>(shared_from_this(), slot.offset);
  const std::byte* const data = memory_.data() + slot.offset;
  const uint64_t reason_at = (slot.batch_bytes + kAlignedTo - 1) / kAlignedTo * kAlignedTo;
  popped.message.reason.assign(reinterpret_cast<const char*>(data + reason_at), slot.reason_bytes);
  if (slot.batch_bytes > 0) popped.bytes = batch::Buffer::Wrap(data, slot.batch_bytes, view);
  return std::optional<PoppedBytes>(std::move(popped));
}

absl::StatusOr<std::optional<RingReader::Popped>> RingReader::Pop() {
  ASSIGN_OR_RETURN(std::optional<PoppedBytes> bytes, PopBytes());
  if (!bytes.has_value()) return std::optional<Popped>();
  Popped popped{.message = std::move(bytes->message),
                .num_bytes = static_cast<int64_t>(bytes->bytes.size())};
  if (!bytes->bytes.empty()) {
    ASSIGN_OR_RETURN(popped.message.rows, batch::Decode(std::move(bytes->bytes)));
  }
  return std::optional<Popped>(std::move(popped));
}

void RingReader::Grant(int64_t bytes, std::span<const int64_t> wanted) {
  RingControl& control = memory_.control();
  for (size_t i = 0; i < std::min(wanted.size(), memory_.num_lanes()); ++i) {
    control.wanted[i].store(wanted[i], std::memory_order_relaxed);
  }
  control.granted.value.fetch_add(static_cast<uint64_t>(std::max<int64_t>(bytes, 0)),
                                  std::memory_order_release);
  control.worker_bell.Ring();
}

void RingReader::Leave() {
  memory_.control().has_left.store(1, std::memory_order_release);
  memory_.control().worker_bell.Ring();
}

void RingReader::Release(uint64_t offset) {
  {
    MutexLock lock(mutex_);
    --num_views_;
    releases_.push_back(offset);
    FlushReleases();
  }
  RingControl& control = memory_.control();
  if (control.wants_room.load(std::memory_order_seq_cst) != 0) control.worker_bell.Ring();
}

void RingReader::FlushReleases() {
  RingControl& control = memory_.control();
  const uint64_t head = control.released_head.value.load(std::memory_order_acquire);
  while (!releases_.empty() && released_tail_ - head < kRingSlots) {
    control.released[released_tail_ % kRingSlots].store(releases_.front(),
                                                        std::memory_order_relaxed);
    releases_.pop_front();
    ++released_tail_;
  }
  control.released_tail.value.store(released_tail_, std::memory_order_seq_cst);
}

void RingReader::Await(uint32_t seen, std::chrono::milliseconds time) {
  memory_.control().consumer_bell.Await(seen, time);
  MutexLock lock(mutex_);
  if (!releases_.empty()) FlushReleases();
}

int64_t RingReader::num_views() const {
  MutexLock lock(mutex_);
  return num_views_;
}

}  // namespace tidemill::preprocess

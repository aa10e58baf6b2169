#include "preprocess/ring/ring_memory.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <utility>

#include "base/check.h"

namespace tidemill::preprocess {

static_assert(std::endian::native == std::endian::little, "the ring is little-endian");

namespace {

absl::StatusOr<void*> Map(int descriptor, int64_t limit_bytes, int protection) {
  void* const start = mmap(nullptr, kRingControlBytes + static_cast<size_t>(limit_bytes),
                           protection, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (start == MAP_FAILED) return ResourceExhausted("cannot map a ring: {}", std::strerror(errno));
  return start;
}

// Reads the header before anything is mapped, so that a file of any kind can be looked at.
absl::StatusOr<RingHeader> ReadHeader(int descriptor) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return DataLoss("the ring's memory might shrink");
  RingHeader header;
  if (pread(descriptor, &header, sizeof(header), 0) != static_cast<ssize_t>(sizeof(header))) {
    return DataLoss("the ring has no header");
  }
  return header;
}

absl::Status Check(const RingHeader& header, int64_t file_bytes, size_t num_lanes) {
  const auto ring_bytes = static_cast<int64_t>(header.ring_bytes);
  if (std::memcmp(header.magic, kRingMagic, sizeof(header.magic)) != 0 ||
      header.version != kRingVersion || header.control_bytes != kRingControlBytes) {
    return DataLoss("this is not a ring of version {}", kRingVersion);
  }
  if (ring_bytes < kLeastRingBytes || ring_bytes > kMaxRingBytes || ring_bytes > file_bytes ||
      header.limit_bytes != header.ring_bytes + static_cast<uint64_t>(kRingReserve) ||
      header.num_lanes != num_lanes) {
    return DataLoss("a ring states {} bytes for {} lanes, but has {} bytes", header.ring_bytes,
                    header.num_lanes, file_bytes);
  }
  return absl::OkStatus();
}

int64_t DataBytesOf(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return 0;
  return static_cast<int64_t>(status.st_size) - static_cast<int64_t>(kRingControlBytes);
}

}  // namespace

void RingBell::Ring() {
  rung.fetch_add(1, std::memory_order_seq_cst);
  if (is_waiting.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &rung, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void RingBell::Await(uint32_t seen, std::chrono::milliseconds time) {
  is_waiting.store(1, std::memory_order_seq_cst);
  if (rung.load(std::memory_order_seq_cst) == seen) {
    const timespec patience = {.tv_sec = time.count() / 1000,
                               .tv_nsec = time.count() % 1000 * 1'000'000};
    syscall(SYS_futex, &rung, FUTEX_WAIT, seen, &patience, nullptr, 0);
  }
  is_waiting.store(0, std::memory_order_seq_cst);
}

RingMemory::RingMemory(Descriptor descriptor, void* start, int64_t ring_bytes, int64_t limit_bytes,
                       size_t num_lanes)
    : descriptor_(std::move(descriptor)),
      start_(start),
      ring_bytes_(ring_bytes),
      limit_bytes_(limit_bytes),
      num_lanes_(num_lanes) {}

RingMemory::RingMemory(RingMemory&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      start_(std::exchange(other.start_, nullptr)),
      ring_bytes_(other.ring_bytes_),
      limit_bytes_(other.limit_bytes_),
      num_lanes_(other.num_lanes_) {}

RingMemory::~RingMemory() {
  if (start_ != nullptr) munmap(start_, kRingControlBytes + static_cast<size_t>(limit_bytes_));
}

absl::StatusOr<RingMemory> RingMemory::Create(int64_t ring_bytes, size_t num_lanes) {
  if (ring_bytes < kLeastRingBytes || ring_bytes > kMaxRingBytes || num_lanes > kMaxRingLanes) {
    return InvalidArgument("a ring of {} bytes is not possible for {} lanes", ring_bytes,
                           num_lanes);
  }
  Descriptor descriptor(memfd_create("tidemill-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor.is_open()) {
    return ResourceExhausted("cannot make shared memory: {}", std::strerror(errno));
  }
  const auto size = static_cast<off_t>(kRingControlBytes) + ring_bytes;
  if (ftruncate(descriptor.number(), size) != 0 ||
      fcntl(descriptor.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return ResourceExhausted("cannot make a ring of {} bytes: {}", ring_bytes,
                             std::strerror(errno));
  }
  const int64_t limit = ring_bytes + kRingReserve;
  ASSIGN_OR_RETURN(void* const start, Map(descriptor.number(), limit, PROT_READ | PROT_WRITE));
  RingMemory memory(std::move(descriptor), start, ring_bytes, limit, num_lanes);
  if (fallocate(memory.descriptor(), 0, 0, static_cast<off_t>(kRingControlBytes)) != 0) {
    return ResourceExhausted("not enough memory for a ring: {}", std::strerror(errno));
  }
  auto* const control = new (start) RingControl();
  control->header.num_lanes = static_cast<uint32_t>(num_lanes);
  control->header.control_bytes = kRingControlBytes;
  control->header.ring_bytes = static_cast<uint64_t>(ring_bytes);
  control->header.limit_bytes = static_cast<uint64_t>(limit);
  for (std::atomic<int64_t>& wanted : control->wanted) wanted.store(-1);
  return memory;
}

absl::StatusOr<RingMemory> RingMemory::Open(Descriptor descriptor, size_t num_lanes,
                                            bool is_writable) {
  ASSIGN_OR_RETURN(const RingHeader header, ReadHeader(descriptor.number()));
  RETURN_IF_ERROR(Check(header, DataBytesOf(descriptor.number()), num_lanes));
  const auto limit = static_cast<int64_t>(header.limit_bytes);
  ASSIGN_OR_RETURN(void* const start, Map(descriptor.number(), limit,
                                          is_writable ? PROT_READ | PROT_WRITE : PROT_READ));
  RingMemory memory(std::move(descriptor), start, static_cast<int64_t>(header.ring_bytes), limit,
                    num_lanes);
  if (mprotect(start, kRingControlBytes, PROT_READ | PROT_WRITE) != 0) {
    return ResourceExhausted("cannot write to a ring: {}", std::strerror(errno));
  }
  return memory;
}

absl::Status RingMemory::Provide(int64_t offset, int64_t bytes) const {
  TIDEMILL_CHECK(offset >= 0 && bytes > 0 && offset <= limit_bytes_ - bytes);
  if (fallocate(descriptor(), 0, static_cast<off_t>(kRingControlBytes) + offset, bytes) == 0) {
    // All at once costs less than a fault for each page. A kernel that cannot do it faults.
    const int64_t begin = offset / kPageBytes * kPageBytes;
    madvise(data() + begin, static_cast<size_t>(offset + bytes - begin), MADV_POPULATE_WRITE);
    return absl::OkStatus();
  }
  return ResourceExhausted(
      "not enough memory for {} bytes of a ring of {}: {}; make the ring or the batches smaller",
      bytes, ring_bytes_, std::strerror(errno));
}

void RingMemory::Discard(int64_t offset, int64_t bytes) const {
  TIDEMILL_CHECK(offset >= 0 && bytes > 0 && offset <= limit_bytes_ - bytes);
  fallocate(descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(kRingControlBytes) + offset, bytes);
}

int64_t RingMemory::FileBytes() const { return DataBytesOf(descriptor()); }

}  // namespace tidemill::preprocess

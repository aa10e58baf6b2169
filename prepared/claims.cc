#include "prepared/claims.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

#include "base/descriptor.h"
#include "base/files.h"
#include "xxhash.h"

namespace tidemill::prepared {
namespace {

// A power of two: many times what the threads of a host prepare at the same time.
constexpr size_t kSlots = size_t{1} << 16;
constexpr int kChoices = 4;
// A slot has the upper bits of a name, and the time of its claim in these.
constexpr uint64_t kTimeBits = (uint64_t{1} << 24) - 1;
constexpr int64_t kTickNs = 10'000'000;
constexpr uint64_t kHoldTicks = static_cast<uint64_t>(std::chrono::nanoseconds(kClaimsHold) /
                                                      std::chrono::nanoseconds(kTickNs));

// All processes of the host have the same. It begins again after 46 hours: a claim of that age
// holds a second time, for a moment.
uint64_t NowTicks() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint64_t>((now.tv_sec * 1'000'000'000 + now.tv_nsec) / kTickNs) & kTimeBits;
}

// Another thread may have looked at the clock later, so that its claim seems to be of the future.
bool Holds(uint64_t slot, uint64_t now) {
  const uint64_t age = (now - slot) & kTimeBits;
  return slot != 0 && (age < kHoldTicks || age > kTimeBits - kHoldTicks);
}
bool IsOf(uint64_t slot, uint64_t name) { return ((slot ^ name) & ~kTimeBits) == 0; }

}  // namespace

std::unique_ptr<Claims> Claims::Open(const std::string& folder) {
  const std::string path = files::Join(folder, "claims");
  if (!files::CreateFolder(folder).ok()) return nullptr;
  const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  constexpr size_t kBytes = kSlots * sizeof(Slot);
  // Reserved, so that a full file system is found here and not when a slot is written.
  if (!file.is_open() || posix_fallocate(file.number(), 0, kBytes) != 0) return nullptr;
  void* const mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (mapped == MAP_FAILED) return nullptr;
  return std::unique_ptr<Claims>(new Claims({static_cast<Slot*>(mapped), kSlots}));
}

Claims::~Claims() { munmap(slots_.data(), slots_.size_bytes()); }

uint64_t Claims::NameOf(std::string_view digest, const SampleName& name) {
  const uint64_t point = XXH3_64bits(digest.data(), digest.size());
  const uint64_t of[2] = {static_cast<uint64_t>(name.key), name.record};
  return XXH3_64bits_withSeed(of, sizeof(of), point);
}

Claims::Slot& Claims::SlotOf(uint64_t name, int choice) const {
  return slots_[(name >> (choice * 16)) % slots_.size()];
}

bool Claims::IsClaimed(uint64_t name) const {
  const uint64_t now = NowTicks();
  for (int choice = 0; choice < kChoices; ++choice) {
    const uint64_t slot = SlotOf(name, choice).load(std::memory_order_acquire);
    if (IsOf(slot, name) && Holds(slot, now)) return true;
  }
  return false;
}

bool Claims::TryClaim(uint64_t name) const {
  if (IsClaimed(name)) return false;
  const uint64_t now = NowTicks();
  for (int choice = 0; choice < kChoices; ++choice) {
    Slot& slot = SlotOf(name, choice);
    uint64_t before = slot.load(std::memory_order_acquire);
    const bool is_free = !Holds(before, now);
    if (is_free && slot.compare_exchange_strong(before, (name & ~kTimeBits) | now)) return true;
    // Another thread was faster.
    if (IsOf(before, name) && Holds(before, now)) return false;
  }
  return true;
}

void Claims::Release(uint64_t name) const {
  for (int choice = 0; choice < kChoices; ++choice) {
    Slot& slot = SlotOf(name, choice);
    uint64_t before = slot.load(std::memory_order_relaxed);
    if (IsOf(before, name)) slot.compare_exchange_strong(before, 0);
  }
}

}  // namespace tidemill::prepared

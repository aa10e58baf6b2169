#include "storage/gather/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace tidemill::storage {

namespace {

// A mapped range. The signal handler reads it without a lock: `begin` is written last and cleared
// first, and 0 while the slot is free or not complete.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<uintptr_t> begin = 0;
  std::atomic<uintptr_t> end = 0;
  std::atomic<bool> damaged = false;
};

std::array<Slot, MappedFile::kMaxMappings> slots;
// Slots from here on were never used.
std::atomic<size_t> num_used_slots = 0;
uintptr_t bytes_of_page = 0;  // Set before the handler is installed.
struct sigaction handler_before;

static_assert(std::atomic<uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "the handler may use them");

Slot* FindSlot(uintptr_t address) {
  const size_t count = num_used_slots.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i) {
    const uintptr_t begin = slots[i].begin.load(std::memory_order_acquire);
    const uintptr_t end = slots[i].end.load(std::memory_order_acquire);
    // A slot that changes hands while it is looked at is not that of the faulting thread, which
    // holds its mapping.
    if (begin == 0 || slots[i].begin.load(std::memory_order_acquire) != begin) continue;
    if (begin <= address && address < end) return &slots[i];
  }
  return nullptr;
}

// Puts zeros where the file ends now. To the end of the mapping at once: a file is cut off at its
// end, and each separate piece would count against Linux's limit of mappings.
bool Repair(uintptr_t address) {
  Slot* const slot = FindSlot(address);
  if (slot == nullptr) return false;
  const uintptr_t page = address & ~(bytes_of_page - 1);
  void* const mapped =
      mmap(reinterpret_cast<void*>(page), slot->end.load(std::memory_order_relaxed) - page,
           PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  slot->damaged.store(true, std::memory_order_release);
  return mapped != MAP_FAILED;
}

// Calls system calls and lock-free atomics only.
void OnBusError(int signal_number, siginfo_t* info, void* context) {
  const int error = errno;
  const bool from_kernel = info->si_code > 0;
  const bool repaired = from_kernel && Repair(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = error;
  if (repaired) return;  // The instruction runs again.
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) {
    handler_before.sa_sigaction(signal_number, info, context);
  } else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(signal_number);
  } else {
    // As if there had never been a handler: it is raised again immediately and ends the process.
    signal(SIGBUS, SIG_DFL);
    if (!from_kernel) raise(SIGBUS);
  }
}

void InstallHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    bytes_of_page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = OnBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &handler_before);
  });
}

// kMaxMappings when all are taken.
size_t TakeSlot() {
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken.load(std::memory_order_relaxed) || slots[i].taken.exchange(true)) continue;
    size_t used = num_used_slots.load(std::memory_order_relaxed);
    while (used <= i && !num_used_slots.compare_exchange_weak(used, i + 1)) {
    }
    return i;
  }
  return slots.size();
}

void FillSlot(size_t index, const void* start, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(start);
  const uintptr_t end = (begin + size + bytes_of_page - 1) & ~(bytes_of_page - 1);
  slots[index].damaged.store(false, std::memory_order_relaxed);
  slots[index].end.store(end, std::memory_order_release);
  slots[index].begin.store(begin, std::memory_order_release);
}

void FreeSlot(size_t index) {
  slots[index].begin.store(0, std::memory_order_release);
  slots[index].end.store(0, std::memory_order_release);
  slots[index].taken.store(false, std::memory_order_release);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Map(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) {
    return Unavailable("cannot examine a file to map: {}", std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode) || status.st_size <= 0) {
    return FailedPrecondition("only regular files that are not empty can be mapped");
  }
  InstallHandler();
  const size_t slot = TakeSlot();
  if (slot == kMaxMappings) return ResourceExhausted("{} files are already mapped", kMaxMappings);
  const auto size = static_cast<size_t>(status.st_size);
  void* const start = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (start == MAP_FAILED) {
    FreeSlot(slot);
    return ResourceExhausted("cannot map {} bytes: {}", size, std::strerror(errno));
  }
  FillSlot(slot, start, size);
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const std::byte*>(start), size, slot));
}

MappedFile::~MappedFile() {
  FreeSlot(slot_);
  munmap(const_cast<std::byte*>(data_), size_);
}

bool MappedFile::is_damaged() const { return slots[slot_].damaged.load(std::memory_order_acquire); }

}  // namespace tidemill::storage

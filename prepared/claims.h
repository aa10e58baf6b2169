// Which samples are being prepared now, over all processes of a host, so that two of them that need
// the same sample at the same time prepare it once.
//
//   A   TryClaim(7): true    prepares 7     keeps it     Release(7)
//   B      TryClaim(7): false    prepares others ...        finds 7
//
// A table of numbers in shared memory, without locks. A claim says nothing about whether a row will
// be kept, and ends after kClaimsHold: a process that is killed delays others by as much. A claim
// that is lost, or finds no place, costs that a sample is prepared twice.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "prepared/sample_name.h"

namespace tidemill::prepared {

inline constexpr std::chrono::seconds kClaimsHold{3};

// Thread-safe.
class Claims {
 public:
  // Opens the table of a folder, and makes it where there is none. nullptr if that cannot be done:
  // then every process prepares what it needs.
  static std::unique_ptr<Claims> Open(const std::string& folder);
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;
  ~Claims();

  // What a sample is called here. `digest` is that of the point.
  static uint64_t NameOf(std::string_view digest, const SampleName& name);

  // Returns false while another claim on the sample holds, of this process or another one.
  bool TryClaim(uint64_t name) const;
  bool IsClaimed(uint64_t name) const;
  void Release(uint64_t name) const;

 private:
  using Slot = std::atomic<uint64_t>;
  static_assert(Slot::is_always_lock_free);

  explicit Claims(std::span<Slot> slots) : slots_(slots) {}
  // The places of a claim.
  Slot& SlotOf(uint64_t name, int choice) const;

  const std::span<Slot> slots_;
};

}  // namespace tidemill::prepared

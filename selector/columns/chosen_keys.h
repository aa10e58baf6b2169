// A set of sample keys, such as those that earlier training sets of a run hold.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace tidemill::selector {

// CRoaring compresses the set. A key takes at most about two bytes, and a run of neighbouring keys
// takes next to nothing. Thread-compatible.
class ChosenKeys {
 public:
  ChosenKeys();
  ~ChosenKeys();
  ChosenKeys(const ChosenKeys&);
  ChosenKeys& operator=(const ChosenKeys&);
  ChosenKeys(ChosenKeys&&) noexcept;
  ChosenKeys& operator=(ChosenKeys&&) noexcept;

  // Adds keys in any order, any number of times. It is fastest when neighbouring keys follow one
  // another.
  void Add(std::span<const int64_t> keys);
  void Add(const ChosenKeys& others);
  // Returns the keys that are in both sets.
  ChosenKeys And(const ChosenKeys& others) const;
  bool Contains(int64_t key) const;
  // Sets contained[i] to 1 when keys[i] is in the set, else to 0. `contained` is as long as `keys`.
  void Contains(std::span<const int64_t> keys, uint8_t* contained) const;
  // Returns how many of `keys` are in the set.
  int64_t CountOf(std::span<const int64_t> keys) const;
  int64_t size() const;

  // Returns the portable format of 64-bit Roaring bitmaps. Equal sets have equal bytes.
  std::string Encode() const;
  // DATA_LOSS when Encode() did not make the bytes.
  static absl::StatusOr<ChosenKeys> Decode(std::string_view bytes);

 private:
  struct Bitmaps;
  std::unique_ptr<Bitmaps> bitmaps_;
};

}  // namespace tidemill::selector

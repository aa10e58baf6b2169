// A set of sample keys: those that earlier training sets of a run hold.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace tidemill::selector {

// Compressed by CRoaring: at most about two bytes a key, and next to nothing for runs of
// neighbouring ones. Thread-compatible.
class ChosenKeys {
 public:
  ChosenKeys();
  ~ChosenKeys();
  ChosenKeys(const ChosenKeys&);
  ChosenKeys& operator=(const ChosenKeys&);
  ChosenKeys(ChosenKeys&&) noexcept;
  ChosenKeys& operator=(ChosenKeys&&) noexcept;

  // In any order, any number of times; fastest when neighbouring keys follow one another.
  void Add(std::span<const int64_t> keys);
  void Add(const ChosenKeys& others);
  // Those that are in both.
  ChosenKeys And(const ChosenKeys& others) const;
  bool Contains(int64_t key) const;
  // contained[i]: 1 when keys[i] is in the set, else 0. `contained` is as long as `keys`.
  void Contains(std::span<const int64_t> keys, uint8_t* contained) const;
  // How many of `keys` are in the set.
  int64_t CountOf(std::span<const int64_t> keys) const;
  int64_t size() const;

  // In the portable format of 64-bit Roaring bitmaps. Equal sets have equal bytes.
  std::string Encode() const;
  // DATA_LOSS for bytes that Encode() did not make.
  static absl::StatusOr<ChosenKeys> Decode(std::string_view bytes);

 private:
  struct Bitmaps;
  std::unique_ptr<Bitmaps> bitmaps_;
};

}  // namespace tidemill::selector

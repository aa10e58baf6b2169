#include "transform/ops/tables/key_index.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

namespace tidemill::transform {

size_t KeyIndex::SlotOf(const TableTexts& texts, std::string_view text) const {
  constexpr int kHalf = 32;
  const uint64_t upper = XXH3_64bits(text.data(), text.size()) >> kHalf;
  size_t slot = upper * slots_.size() >> kHalf;
  while (slots_[slot] != 0 && texts.At(slots_[slot] - 1) != text) {
    if (++slot == slots_.size()) slot = 0;
  }
  return slot;
}

}  // namespace tidemill::transform

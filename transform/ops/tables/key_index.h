// Finds texts by their bytes, with four bytes of memory for a place of a hash table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "transform/ops/tables/table_texts.h"

namespace tidemill::transform {

// The numbers of some of the texts in a TableTexts, which callers pass. Thread-compatible.
class KeyIndex {
 public:
  // Makes room for this many texts. It has none then.
  void Reserve(size_t num_texts) { slots_.assign(num_texts + num_texts / 2 + 1, 0); }

  // Adds a text of `texts`, by its number, unless an equal one is there. Returns the number of the
  // one that is there.
  uint32_t Add(const TableTexts& texts, uint32_t number) {
    uint32_t& slot = slots_[SlotOf(texts, texts.At(number))];
    if (slot == 0) slot = number + 1;
    return slot - 1;
  }

  // Returns the number of a text.
  std::optional<uint32_t> Find(const TableTexts& texts, std::string_view text) const {
    const uint32_t slot = slots_[SlotOf(texts, text)];
    return slot == 0 ? std::nullopt : std::optional(slot - 1);
  }

 private:
  // The slot of the text, or the free one where it would be.
  size_t SlotOf(const TableTexts& texts, std::string_view text) const;

  std::vector<uint32_t> slots_;  // Numbers plus 1. A third is free.
};

}  // namespace tidemill::transform

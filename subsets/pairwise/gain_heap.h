// A heap of gains that may decrease while they are in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tidemill::subsets {

// A 4-ary heap with the greatest gain first. It knows the position of each entry. Equal gains leave
// in the order of their entries. Thread-compatible.
class GainHeap {
 public:
  struct Item {
    double gain = 0;
    uint32_t entry = 0;
  };
  static constexpr int64_t kBytesPerEntry = sizeof(Item) + sizeof(uint32_t);

  // Makes the entries 0 .. num_entries - 1. Set the gain of each once, then call Build().
  explicit GainHeap(int64_t num_entries)
      : heap_(static_cast<size_t>(num_entries)), positions_(static_cast<size_t>(num_entries)) {}
  void Set(uint32_t entry, double gain) { heap_[entry] = {gain, entry}; }
  void Build();

  bool empty() const { return heap_.empty(); }
  bool Holds(uint32_t entry) const { return positions_[entry] != kGone; }
  // Removes and returns the first.
  Item Pop();
  // Lowers the gain of `entry`, which must be in the heap. `by` is not negative.
  void Lower(uint32_t entry, double by);

 private:
  static constexpr uint32_t kGone = std::numeric_limits<uint32_t>::max();

  static bool Before(const Item& a, const Item& b) {
    return a.gain > b.gain || (a.gain == b.gain && a.entry < b.entry);
  }
  // Puts `item` where it belongs at or below a position whose content is no longer needed.
  void Sink(size_t position, Item item);

  std::vector<Item> heap_;
  std::vector<uint32_t> positions_;
};

}  // namespace tidemill::subsets

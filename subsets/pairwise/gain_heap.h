// A heap of gains that may sink while they are in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tidemill::subsets {

// 4-ary, the greatest gain first, with the position of each entry. Equal gains leave in the order
// of their entries. Thread-compatible.
class GainHeap {
 public:
  struct Item {
    double gain = 0;
    uint32_t entry = 0;
  };
  static constexpr int64_t kBytesPerEntry = sizeof(Item) + sizeof(uint32_t);

  // Entries 0 .. num_entries - 1; each is given its gain once, then Build() makes them a heap.
  explicit GainHeap(int64_t num_entries)
      : heap_(static_cast<size_t>(num_entries)), positions_(static_cast<size_t>(num_entries)) {}
  void Set(uint32_t entry, double gain) { heap_[entry] = {gain, entry}; }
  void Build();

  bool empty() const { return heap_.empty(); }
  bool Holds(uint32_t entry) const { return positions_[entry] != kGone; }
  // Takes out the first.
  Item Pop();
  // The heap holds `entry`; `by` is not negative.
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

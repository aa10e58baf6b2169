#include "subsets/pairwise/gain_heap.h"

#include <algorithm>

#include "base/check.h"

// The heap in an array: the children of position p are 4 p + 1 to 4 p + 4. positions_ is the way
// back, so that the gain of any entry can be lowered without a search.
//
//   heap_        [0] 9.1 e3                                positions_   e0 -> 2
//                 |                                                     e1 -> gone: popped
//     +-----------+-----------+-----------+                             e2 -> 1
//    [1] 7 e2   [2] 7 e0     [3] 4 e5   [4] 2 e4                        e3 -> 0
//
// Four children share one or two lines of the processor's cache, and the heap is half as deep as
// one of two children. Gains only fall, so entries only move down.

namespace tidemill::subsets {

void GainHeap::Build() {
  for (size_t i = 0; i < heap_.size(); ++i) positions_[i] = static_cast<uint32_t>(i);
  for (size_t i = heap_.size() / 4 + 1; i-- > 0;) {
    if (i < heap_.size()) Sink(i, heap_[i]);
  }
}

GainHeap::Item GainHeap::Pop() {
  TIDEMILL_CHECK(!heap_.empty());
  const Item first = heap_.front();
  const Item last = heap_.back();
  heap_.pop_back();
  positions_[first.entry] = kGone;
  if (!heap_.empty()) Sink(0, last);
  return first;
}

void GainHeap::Lower(uint32_t entry, double by) {
  TIDEMILL_CHECK(Holds(entry));
  TIDEMILL_DCHECK(by >= 0);
  const size_t position = positions_[entry];
  Item item = heap_[position];
  item.gain -= by;
  Sink(position, item);
}

void GainHeap::Sink(size_t position, Item item) {
  const size_t size = heap_.size();
  for (size_t child = 4 * position + 1; child < size; child = 4 * position + 1) {
    size_t best = child;
    const size_t end = std::min(child + 4, size);
    for (size_t other = child + 1; other < end; ++other) {
      if (Before(heap_[other], heap_[best])) best = other;
    }
    if (!Before(heap_[best], item)) break;
    heap_[position] = heap_[best];
    positions_[heap_[position].entry] = static_cast<uint32_t>(position);
    position = best;
  }
  heap_[position] = item;
  positions_[item.entry] = static_cast<uint32_t>(position);
}

}  // namespace tidemill::subsets

#include "models/training/orders/block_order.h"

#include <algorithm>
#include <span>

namespace tidemill::models {
namespace {

// Permutes whole blocks, puts the shorter last one somewhere among them, and then permutes the
// places of each window.
class Blocks final : public SeededOrder {
 public:
  Blocks(const BlockOrder& spec, const RandomKey& key, int64_t size)
      : SeededOrder(key, size), block_(spec.samples.value), window_(spec.window.value) {}

  void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const override {
    const int64_t num_whole = size() / block_;
    const Permutation blocks(KeyOf(epoch), std::max<int64_t>(1, num_whole));
    // Negative ordinals below the permutation's own are no one else's.
    const int64_t rest_at = block_ * Below(num_whole + 1, RandomBits(KeyOf(epoch), -100));
    while (!ordinals.empty()) {
      const int64_t window = from / window_;
      const int64_t begin = window * window_;
      const int64_t in_window = std::min(window_, size() - begin);
      const auto count = std::min<int64_t>(std::ssize(ordinals), begin + in_window - from);
      const std::span<int64_t> piece = ordinals.first(static_cast<size_t>(count));
      const Permutation places(KeyOfWindow(epoch, window), in_window);
      places.Range(from - begin, piece);
      for (int64_t& place : piece) place = OrdinalAt(begin + place, blocks, num_whole, rest_at);
      ordinals = ordinals.subspan(piece.size());
      from += count;
    }
  }

 private:
  RandomKey KeyOfWindow(int64_t epoch, int64_t window) const {
    RandomKey key = KeyOf(epoch);
    key.seed = static_cast<int64_t>(RandomBits(key, -1000 - window));
    return key;
  }

  // The ordinal at a place before the windows are shuffled.
  int64_t OrdinalAt(int64_t place, const Permutation& blocks, int64_t num_whole,
                    int64_t rest_at) const {
    const int64_t rest = size() - num_whole * block_;
    if (place >= rest_at && place < rest_at + rest) return num_whole * block_ + (place - rest_at);
    if (place >= rest_at) place -= rest;
    return blocks(place / block_) * block_ + place % block_;
  }

  const int64_t block_;
  const int64_t window_;
};

}  // namespace

std::unique_ptr<EpochOrder> BlockOrder::MakeEpochOrder(const RandomKey& key, int64_t size) const {
  return std::make_unique<Blocks>(*this, key, size);
}

}  // namespace tidemill::models

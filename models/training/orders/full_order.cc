#include "models/training/orders/full_order.h"

namespace tidemill::models {
namespace {

class Full final : public SeededOrder {
 public:
  using SeededOrder::SeededOrder;
  void Get(int64_t epoch, int64_t from, std::span<int64_t> ordinals) const override {
    Permutation(KeyOf(epoch), size()).Range(from, ordinals);
  }
};

}  // namespace

std::unique_ptr<EpochOrder> FullOrder::MakeEpochOrder(const RandomKey& key, int64_t size) const {
  return std::make_unique<Full>(key, size);
}

}  // namespace tidemill::models

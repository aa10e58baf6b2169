#include "models/training/orders/no_order.h"

#include <numeric>

#include "models/training/orders/order_spec.h"

namespace tidemill::models {
namespace {

class InOrder final : public EpochOrder {
 public:
  void Get(int64_t, int64_t from, std::span<int64_t> ordinals) const override {
    std::iota(ordinals.begin(), ordinals.end(), from);
  }
};

}  // namespace

std::unique_ptr<EpochOrder> NoOrder::MakeEpochOrder(const RandomKey& /*key*/,
                                                    int64_t /*size*/) const {
  return std::make_unique<InOrder>();
}

OrderSpec InStreamOrder() { return NoOrder{}; }

}  // namespace tidemill::models

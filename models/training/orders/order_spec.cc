#include "models/training/orders/order_spec.h"

#include "config/spec_list.h"
#include "models/training/orders/block_order.h"
#include "models/training/orders/full_order.h"
#include "models/training/orders/no_order.h"
#include "models/training/orders/reservoir_order.h"

namespace tidemill::models {
namespace {

// An order by what its spec says: MakeEpochOrder(), kIsUniform and kKeepsStream.
template <typename Spec>
class OrderOf final : public config::PartOf<OrderOf<Spec>, Order, Spec> {
 public:
  std::unique_ptr<EpochOrder> MakeEpochOrder(const RandomKey& key, int64_t size) const override {
    return spec_.MakeEpochOrder(key, size);
  }
  bool IsUniform() const override { return Spec::kIsUniform; }
  bool KeepsStream() const override { return Spec::kKeepsStream; }
  bool Equals(const Order& other) const override {
    return spec_ == static_cast<const OrderOf&>(other).spec_;
  }

 private:
  using config::PartOf<OrderOf<Spec>, Order, Spec>::spec_;
};

// A new order is its line here and its header above.
using Orders = config::SpecList<FullOrder, NoOrder, BlockOrder, ReservoirOrder>;

}  // namespace

std::span<const config::Alternative<Order>> Order::Alternatives() {
  return config::Alternatives<Order, OrderOf>(Orders());
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::OrderSpec);

// Epochs of sample orders, for their tests.
#pragma once

#include <cstdint>
#include <vector>

#include "models/training/orders/epoch_order.h"

namespace tidemill::models::testing {

inline constexpr RandomKey kKey{.seed = 7, .purpose = "shuffle", .trigger = 3};

// Returns the ordinals of one whole epoch.
inline std::vector<int64_t> Epoch(const EpochOrder& order, int64_t epoch, int64_t size) {
  std::vector<int64_t> ordinals(static_cast<size_t>(size));
  order.Get(epoch, 0, ordinals);
  return ordinals;
}

}  // namespace tidemill::models::testing

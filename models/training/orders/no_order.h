// Keeps the order of the stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/numbers/random.h"
#include "config/config.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::models {

struct NoOrder {
  static constexpr std::string_view kType = "none";
  static constexpr std::string_view kDoc = "The order of the samples in the stream.";
  static constexpr bool kIsUniform = false;
  static constexpr bool kKeepsStream = true;
  void Fields(auto&&) {}
  std::unique_ptr<EpochOrder> MakeEpochOrder(const RandomKey& key, int64_t size) const;
  friend bool operator==(const NoOrder&, const NoOrder&) = default;
};

}  // namespace tidemill::models

// Shuffles all samples: every order is possible.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/numbers/random.h"
#include "config/config.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::models {

struct FullOrder {
  static constexpr std::string_view kType = "full";
  static constexpr std::string_view kDoc =
      "A new order in each epoch. All orders of all samples are equally likely.";
  static constexpr bool kIsUniform = true;
  static constexpr bool kKeepsStream = false;
  void Fields(auto&&) {}
  std::unique_ptr<EpochOrder> MakeEpochOrder(const RandomKey& key, int64_t size) const;
  friend bool operator==(const FullOrder&, const FullOrder&) = default;
};

}  // namespace tidemill::models

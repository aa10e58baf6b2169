// Shuffles all samples: every order is possible.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/random.h"
#include "config/config.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::models {

struct FullOrder {
  static constexpr std::string_view kType = "full";
  static constexpr std::string_view kDoc =
      "Anew in each epoch, each order of all samples being as likely as another.";
  static constexpr bool kIsUniform = true;
  static constexpr bool kKeepsStream = false;
  void Fields(auto&&) {}
  std::unique_ptr<EpochOrder> MakeEpochOrder(const RandomKey& key, int64_t size) const;
  friend bool operator==(const FullOrder&, const FullOrder&) = default;
};

}  // namespace tidemill::models

// Shuffles blocks of neighbouring samples, and the samples of a few blocks among themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/numbers/random.h"
#include "config/config.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::models {

struct BlockOrder {
  static constexpr std::string_view kType = "block";
  static constexpr std::string_view kDoc =
      "Shuffles blocks of neighbours, and then the samples of a few blocks at a time. For data on "
      "slow disks or far away, where neighbours are cheaper to read.";
  static constexpr bool kIsUniform = false;
  static constexpr bool kKeepsStream = false;
  config::Count samples{4096};
  config::Count window{65'536};
  void Fields(auto&& field) {
    field("samples", samples, "Number of neighbours in a block.");
    field("window", window, "Number of samples that are shuffled together.");
  }
  void Check(config::Problems& problems) const {
    if (samples.value < 1) problems.Add("samples", "must be at least 1", "write 4096");
    if (window.value < 1) problems.Add("window", "must be at least 1", "write 65_536");
  }
  std::unique_ptr<EpochOrder> MakeEpochOrder(const RandomKey& key, int64_t size) const;
  friend bool operator==(const BlockOrder&, const BlockOrder&) = default;
};

}  // namespace tidemill::models

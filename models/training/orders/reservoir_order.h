// Shuffles the stream through a buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/numbers/random.h"
#include "config/config.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::models {

struct ReservoirOrder {
  static constexpr std::string_view kType = "reservoir";
  static constexpr std::string_view kDoc =
      "Samples pass through a buffer. When the next sample of the stream enters, a random one "
      "leaves. Early samples stay early, and neighbours are separated.";
  static constexpr bool kIsUniform = false;
  static constexpr bool kKeepsStream = false;
  config::Count samples{65'536};
  void Fields(auto&& field) { field("samples", samples, "Number of samples in the buffer."); }
  void Check(config::Problems& problems) const {
    if (samples.value < 1 || samples.value > 100'000'000) {
      problems.Add("samples", "must be between 1 and 1e8", "write 65_536");
    }
  }
  std::unique_ptr<EpochOrder> MakeEpochOrder(const RandomKey& key, int64_t size) const;
  friend bool operator==(const ReservoirOrder&, const ReservoirOrder&) = default;
};

}  // namespace tidemill::models

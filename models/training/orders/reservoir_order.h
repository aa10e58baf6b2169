// Shuffles the stream through a buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/random.h"
#include "config/config.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::models {

struct ReservoirOrder {
  static constexpr std::string_view kType = "reservoir";
  static constexpr std::string_view kDoc =
      "Through a buffer, from which a random sample leaves as the next of the stream enters: early "
      "samples stay early, neighbours part.";
  static constexpr bool kIsUniform = false;
  static constexpr bool kKeepsStream = false;
  config::Count samples{65'536};
  void Fields(auto&& field) { field("samples", samples, "Samples in the buffer."); }
  void Check(config::Problems& problems) const {
    if (samples.value < 1 || samples.value > 100'000'000) {
      problems.Add("samples", "must be between 1 and 1e8", "write 65_536");
    }
  }
  std::unique_ptr<EpochOrder> MakeEpochOrder(const RandomKey& key, int64_t size) const;
  friend bool operator==(const ReservoirOrder&, const ReservoirOrder&) = default;
};

}  // namespace tidemill::models

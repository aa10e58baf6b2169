// The order of samples when each epoch draws its own samples.
#pragma once

#include <cstdint>
#include <memory>

#include "base/numbers/random.h"
#include "loader/plan/subset.h"
#include "models/training/orders/order_spec.h"

namespace tidemill::loader {

// The order of the samples that each epoch draws from `size` samples: the positions [0,
// draw.samples) of an epoch. A uniform order is the order in which samples are drawn, and takes
// constant memory. Other orders hold the ordinals of an epoch. (Okanovic et al., Repeated Random
// Sampling, ICLR 2024.)
std::unique_ptr<models::EpochOrder> MakeDrawnOrder(const models::OrderSpec& spec,
                                                   const RandomKey& key, int64_t size,
                                                   const RepeatedDraw& draw);

}  // namespace tidemill::loader

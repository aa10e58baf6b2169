// In which order samples are visited of which each epoch draws others.
#pragma once

#include <cstdint>
#include <memory>

#include "base/random.h"
#include "loader/plan/subset.h"
#include "models/training/orders/order_spec.h"

namespace tidemill::loader {

// Of the samples that each epoch draws of `size`: positions [0, draw.samples) of an epoch. A
// uniform order is that in which they are drawn and takes constant memory; others hold the ordinals
// of an epoch. (Okanovic et al., Repeated Random Sampling, ICLR 2024.)
std::unique_ptr<models::EpochOrder> MakeDrawnOrder(const models::OrderSpec& spec,
                                                   const RandomKey& key, int64_t size,
                                                   const RepeatedDraw& draw);

}  // namespace tidemill::loader

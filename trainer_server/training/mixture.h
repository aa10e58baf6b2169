// A batch whose rows are mixed with others of it (models::Augment).
#pragma once

#include <span>

#include "torch/torch.h"

#include "models/network.h"
#include "models/training/augment_spec.h"
#include "trainer_server/training/row_pairs.h"

namespace tidemill::trainer_server {

struct Mixture {
  models::Inputs inputs;
  torch::Tensor partner_target;  // The target of each row's partner.
  torch::Tensor share;           // [n] float32, the share of the row's own target.
};

// Mixes rows [n, ...] of floats, on their device. Images of all inputs must have the same height
// and width. Throws c10::Error: call it in models::Guard().
Mixture Mix(const models::Augment& augment, std::span<const RowPair> pairs,
            const models::Inputs& inputs, const torch::Tensor& target);

}  // namespace tidemill::trainer_server

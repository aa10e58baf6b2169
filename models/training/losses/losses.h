// Lists every loss, in the order of the reference. To add one, write two lines here: its include
// and its name.
#pragma once

#include "config/spec_list.h"
#include "models/training/losses/bce_with_logits.h"
#include "models/training/losses/cross_entropy.h"
#include "models/training/losses/focal.h"
#include "models/training/losses/hinge.h"
#include "models/training/losses/real_losses.h"

namespace tidemill::models {

using Losses = config::SpecList<CrossEntropy, Mse, BceWithLogits, L1, Huber, SmoothL1, Hinge,
                                MulticlassHinge, Focal, MulticlassFocal>;

}  // namespace tidemill::models

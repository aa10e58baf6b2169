#include "models/training/losses/loss_spec.h"

#include "models/training/losses/losses.h"

namespace tidemill::models {

std::span<const config::Alternative<Loss>> Loss::Alternatives() {
  return config::Alternatives<Loss, LossOf>(Losses());
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::LossSpec);

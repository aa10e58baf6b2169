#include "models/losses/real_errors.h"

namespace tidemill::models {

torch::Tensor RealErrors(const torch::Tensor& output, const torch::Tensor& target) {
  return output - target.to(output.scalar_type()).reshape_as(output);
}

}  // namespace tidemill::models

#include "models/training/losses/cross_entropy.h"

#include "fmt/format.h"

namespace tidemill::models {

std::optional<config::Remark> LossOf<CrossEntropy>::FindOutputsProblem(int64_t outputs) const {
  const auto num_weights = static_cast<int64_t>(spec_.class_weights.size());
  if (num_weights == 0 || num_weights == outputs) return std::nullopt;
  return config::Remark{
      .path = "class_weights",
      .message = fmt::format("has {} weights for {} outputs", num_weights, outputs),
      .hint = "list one weight for each class"};
}

}  // namespace tidemill::models

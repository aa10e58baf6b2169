#include "models/training/losses/loss_spec.h"

#include <string>

#include "fmt/format.h"

#include "models/training/losses/losses.h"

namespace tidemill::models {

std::span<const config::Alternative<Loss>> Loss::Alternatives() {
  return config::Alternatives<Loss, LossOf>(Losses());
}

LossSpec PlainLossOf(std::optional<ClassOutputs> of_classes) {
  LossSpec loss;
  for (size_t i = 0; i < Loss::Alternatives().size(); ++i) {
    loss.Emplace(i);
    if (loss->OfClasses() == of_classes) break;
  }
  return loss;
}

std::optional<config::Remark> FindWeightsProblem(std::string_view name,
                                                 const std::vector<double>& weights,
                                                 int64_t outputs) {
  const auto num_weights = static_cast<int64_t>(weights.size());
  if (num_weights == 0 || num_weights == outputs) return std::nullopt;
  return config::Remark{
      .path = std::string(name),
      .message = fmt::format("has {} weights for {} outputs", num_weights, outputs),
      .hint = "list one weight for each class"};
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::LossSpec);

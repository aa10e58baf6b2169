#include "models/spec/resnet18.h"

#include "models/spec/input_checks.h"

namespace tidemill::models {

std::optional<SpecProblem> Resnet18::FindInputProblem(const InputSpecs& inputs) const {
  constexpr int64_t kMinPixels = 16;
  if (auto problem = CheckImages("a resnet18", inputs)) return problem;
  const InputSpec& image = *FindInput(inputs, kInput);
  const size_t rank = image.shape.size();
  if (image.shape[rank - 1] >= kMinPixels && image.shape[rank - 2] >= kMinPixels) {
    return std::nullopt;
  }
  return WrongInput("a resnet18", "images of at least 16x16", kInput, image,
                    "use type: convnet for smaller ones");
}

}  // namespace tidemill::models

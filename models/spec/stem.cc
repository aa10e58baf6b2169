#include "models/spec/stem.h"

#include "models/spec/input_checks.h"

namespace tidemill::models {

std::optional<SpecProblem> CheckStagedImages(std::string_view network, Stem stem,
                                             const InputSpecs& inputs) {
  constexpr int64_t kMinPixels = 16;
  constexpr int64_t kMinStandardPixels = 32;
  if (auto problem = CheckImages(network, inputs)) return problem;
  const InputSpec& image = *FindInput(inputs, kInput);
  const size_t rank = image.shape.size();
  const int64_t side = std::min(image.shape[rank - 1], image.shape[rank - 2]);
  if (side < kMinPixels) {
    return WrongInput(network, "images of at least 16x16", kInput, image,
                      "use type: convnet for smaller ones");
  }
  if (side < kMinStandardPixels && stem == Stem::kStandard) {
    return WrongInput(network, "images of at least 32x32 with stem: standard", kInput, image,
                      "write stem: small");
  }
  return std::nullopt;
}

}  // namespace tidemill::models

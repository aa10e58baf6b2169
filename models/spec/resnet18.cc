#include "models/spec/resnet18.h"

namespace tidemill::models {

std::optional<SpecProblem> Resnet18::FindInputProblem(const InputSpecs& inputs) const {
  // Its stages take any number of pixels.
  const Stem any = stem == Stem::kStandard ? Stem::kAuto : stem;
  return CheckStagedImages("a resnet18", any, inputs);
}

}  // namespace tidemill::models

// Networks of images. Inputs have passed FindInputProblem(). All throw c10::Error: call them
// in Guard().
#pragma once

#include "models/network.h"

namespace tidemill::models {

// INVALID_ARGUMENT for images that are too small.
absl::StatusOr<ModulePtr> MakeConvnet(const Convnet& spec, const InputSpecs& inputs);
ModulePtr MakeResnet18(const Resnet18& spec, const InputSpecs& inputs);

}  // namespace tidemill::models

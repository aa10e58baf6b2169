#include "models/spec/torchscript.h"

#include "models/spec/input_checks.h"

namespace tidemill::models {

std::optional<SpecProblem> TorchScript::FindInputProblem(const InputSpecs& inputs) const {
  if (!inputs.empty()) return std::nullopt;
  return NoColumn("a torchscript", kInput, "numbers");
}

}  // namespace tidemill::models

#include "models/spec/torchscript.h"

#include <utility>

#include "models/spec/input_checks.h"

namespace tidemill::models {

std::optional<SpecProblem> TorchScript::FindInputProblem(const InputSpecs& inputs) const {
  if (!inputs.empty()) return std::nullopt;
  return NoColumn("a torchscript", kInput, "numbers");
}

ModelSpec NetworkFromScript(std::string path, int64_t outputs) {
  return TorchScript{.file = std::move(path), .outputs = outputs};
}

}  // namespace tidemill::models

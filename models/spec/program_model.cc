#include "models/spec/program_model.h"

#include "models/spec/input_checks.h"

namespace tidemill::models {

std::optional<SpecProblem> ProgramModel::FindInputProblem(const InputSpecs& inputs) const {
  if (!inputs.empty()) return std::nullopt;
  return NoColumn("a program", kInput, "numbers");
}

}  // namespace tidemill::models

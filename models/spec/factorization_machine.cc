#include "models/spec/factorization_machine.h"

#include "models/spec/input_checks.h"

namespace tidemill::models {

std::optional<SpecProblem> FactorizationMachine::FindInputProblem(const InputSpecs& inputs) const {
  constexpr std::string_view kName = "a factorization_machine";
  if (FindInput(inputs, kInputCategories) != nullptr && FindInput(inputs, kInput) != nullptr) {
    if (auto problem = CheckDense(kName, inputs)) return problem;
  }
  return CheckCategories(kName, inputs, categories);
}

}  // namespace tidemill::models

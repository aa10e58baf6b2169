#include "models/spec/dlrm.h"

#include "models/spec/input_checks.h"

namespace tidemill::models {

std::optional<SpecProblem> Dlrm::FindInputProblem(const InputSpecs& inputs) const {
  if (auto problem = CheckDense("a dlrm", inputs)) return problem;
  return CheckCategories("a dlrm", inputs, categories);
}

}  // namespace tidemill::models

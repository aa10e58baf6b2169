#include "selector/policies/policies.h"

#include <variant>

namespace tidemill::selector {

std::unique_ptr<Chooser> MakeChooser(const SelectionSpec& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into) {
  return std::visit(
      [&](const auto& policy) { return MakeChooser(policy, random, workplace, into); }, spec);
}

bool DrawsFromHistory(const SelectionSpec& spec) {
  const Uniform* uniform = std::get_if<Uniform>(&spec);
  return uniform != nullptr && uniform->over == Pool::kAll;
}

}  // namespace tidemill::selector

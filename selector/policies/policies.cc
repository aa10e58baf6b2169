#include "selector/policies/policies.h"

#include <variant>

namespace tidemill::selector {

Choice Choose(const SelectionSpec& spec, const Candidates& candidates, const RandomKey& random) {
  return std::visit([&](const auto& policy) { return Choose(policy, candidates, random); }, spec);
}

bool DrawsFromHistory(const SelectionSpec& spec) {
  const Uniform* uniform = std::get_if<Uniform>(&spec);
  return uniform != nullptr && uniform->over == Pool::kAll;
}

}  // namespace tidemill::selector

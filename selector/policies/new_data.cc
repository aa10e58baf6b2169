#include <algorithm>
#include <numeric>

#include "selector/policies/policies.h"

namespace tidemill::selector {

Choice Choose(const NewData& spec, const Candidates& candidates, const RandomKey&) {
  const auto available = static_cast<int64_t>(candidates.keys.size());
  const int64_t kept = std::min(available, spec.limit.value_or(available));
  Choice choice;
  choice.rows.resize(static_cast<size_t>(kept));
  std::iota(choice.rows.begin(), choice.rows.end(), available - kept);
  return choice;
}

}  // namespace tidemill::selector

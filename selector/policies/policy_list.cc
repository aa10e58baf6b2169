#include "selector/policies/policy_list.h"

namespace tidemill::selector {

SelectionSpec AllOf(const CandidatePool& pool) {
  if (pool.over == Pool::kAll) return AllData{.where = pool.where};
  return NewData{.tail = pool.tail.value_or(0), .where = pool.where};
}

std::span<const config::Alternative<Selection>> Selection::Alternatives() {
  return config::Alternatives<Selection, SelectionOf>(Policies());
}

}  // namespace tidemill::selector

TIDEMILL_CONFIG_TYPE(tidemill::selector::SelectionSpec);

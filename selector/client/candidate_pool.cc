#include "selector/client/candidate_pool.h"

#include "expressions/expression.h"

namespace tidemill::selector {

void CheckWhere(const std::optional<std::string>& where, config::Problems& problems) {
  if (!where) return;
  const auto parsed = expressions::Expression::Parse(*where);
  if (!parsed.ok()) problems.Add("where", std::string(parsed.status().message()), "");
}

}  // namespace tidemill::selector

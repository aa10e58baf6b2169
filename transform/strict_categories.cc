#include "transform/strict_categories.h"

#include "transform/ops/categories/one_hot.h"

namespace tidemill::transform {

std::optional<GraphSpec> RejectUnknownCategories(const GraphSpec& graph) {
  GraphSpec strict = graph;
  bool is_other = false;
  for (config::Keyed<OpSpec>& op : strict) is_other |= RejectUnknownCategories(op.value);
  return is_other ? std::optional(std::move(strict)) : std::nullopt;
}

}  // namespace tidemill::transform

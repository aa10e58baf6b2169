#include "transform/unknown_values.h"

#include <utility>

#include "transform/ops/categories/one_hot.h"
#include "transform/ops/tables/lookup.h"

namespace tidemill::transform {
namespace {

bool MakeStrict(OpSpec& op) { return RejectUnknownCategories(op) || RejectUnknownKeys(op); }

}  // namespace

std::optional<GraphSpec> RejectUnknown(const GraphSpec& graph) {
  GraphSpec strict = graph;
  bool is_other = false;
  for (config::Keyed<OpSpec>& op : strict) is_other |= MakeStrict(op.value);
  return is_other ? std::optional(std::move(strict)) : std::nullopt;
}

std::optional<GraphSpec> RejectUnknown(const GraphSpec& graph, size_t op) {
  GraphSpec strict = graph;
  return MakeStrict(strict[op].value) ? std::optional(std::move(strict)) : std::nullopt;
}

}  // namespace tidemill::transform

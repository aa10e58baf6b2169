#include "transform/graph_spec.h"

#include <utility>

TIDEMILL_CONFIG_TYPE(tidemill::transform::GraphSpec);

namespace tidemill::transform {

std::vector<std::string> AllRunsWith(const GraphSpec& graph) {
  std::vector<std::string> all;
  for (const auto& op : graph) {
    if (std::string own = op.value->RunsWith(); !own.empty()) all.push_back(std::move(own));
  }
  return all;
}

void NameColumns(const std::vector<ChosenColumns>& chosen, GraphSpec& graph) {
  for (const ChosenColumns& columns : chosen) {
    graph[columns.op_index].value->NameColumns(columns.field, columns.names);
  }
}

}  // namespace tidemill::transform

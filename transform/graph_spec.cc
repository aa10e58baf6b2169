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

}  // namespace tidemill::transform

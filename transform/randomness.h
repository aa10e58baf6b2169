// Whether a graph draws random numbers.
#pragma once

#include <algorithm>

#include "transform/graph_spec.h"

namespace tidemill::transform {

// Without a random op, the rows of a sample are the same in every epoch, and outside training.
inline bool IsRandom(const GraphSpec& graph) {
  return std::ranges::any_of(graph, [](const auto& op) { return op.value->IsRandom(); });
}

}  // namespace tidemill::transform

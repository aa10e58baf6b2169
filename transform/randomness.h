// Whether a graph draws random numbers.
#pragma once

#include <algorithm>

#include "transform/graph_spec.h"

namespace tidemill::transform {

// Without a random op, rows are the same in each epoch and out of training.
inline bool IsRandom(const GraphSpec& graph) {
  return std::ranges::any_of(graph, [](const auto& op) { return op.value->IsRandom(); });
}

}  // namespace tidemill::transform

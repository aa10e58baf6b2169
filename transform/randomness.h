// Whether a graph draws random numbers.
#pragma once

#include <algorithm>
#include <type_traits>
#include <variant>

#include "transform/graph_spec.h"

namespace tidemill::transform {

// Whether what an op makes of a sample in training is drawn anew in every epoch.
template <typename Spec>
inline constexpr bool kIsRandom =
    std::is_same_v<Spec, RandomCropSpec> || std::is_same_v<Spec, RandomFlipSpec>;

// The same of a graph: without such an op, rows are the same in each epoch and out of training.
inline bool IsRandom(const GraphSpec& graph) {
  return std::ranges::any_of(graph, [](const auto& op) {
    return std::visit([]<typename Spec>(const Spec&) { return kIsRandom<Spec>; }, op.value);
  });
}

}  // namespace tidemill::transform

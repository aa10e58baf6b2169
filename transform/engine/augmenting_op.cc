#include "transform/engine/augmenting_op.h"

#include "transform/engine/portable_graph.h"

namespace tidemill::transform {

absl::Status AugmentingOp::WriteSteps(std::span<const Learned>, PortableGraph& graph) const {
  graph.Set(outputs()[0], graph.Get(inputs()[0]));
  return absl::OkStatus();
}

}  // namespace tidemill::transform

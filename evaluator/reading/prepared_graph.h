// The graph of models, ready to make rows of samples.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "transform/fitted_state.h"
#include "transform/graph.h"
#include "transform/target_scale.h"

namespace tidemill::evaluator {

// A graph bound to the evaluated dataset, with its fitted state. Models with the same fingerprint
// share it. Immutable, so thread-safe.
struct PreparedGraph {
  transform::Graph graph;
  std::optional<transform::FittedState> fitted;
  // The fingerprint of the graph and its fitted state. Equal fingerprints mean equal results.
  std::string fingerprint;
  // Converts outputs of the network to the units of the target.
  transform::TargetScale target_scale = {};
  // The GraphSpec as canonical YAML.
  std::string spec = {};
};
using SharedGraph = std::shared_ptr<const PreparedGraph>;

}  // namespace tidemill::evaluator

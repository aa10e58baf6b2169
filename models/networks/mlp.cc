#include "models/spec/mlp.h"

#include "models/networks/layers.h"

namespace tidemill::models {

absl::StatusOr<ModulePtr> MakeModule(const Mlp& spec, const NetworkParts& parts) {
  return MakeLayersNetwork(parts.inputs, spec.hidden, spec.dropout, spec.outputs);
}

}  // namespace tidemill::models

#include "models/spec/logistic.h"

#include "models/networks/layers.h"

namespace tidemill::models {

absl::StatusOr<ModulePtr> MakeModule(const Logistic& spec, const NetworkParts& parts) {
  return MakeLayersNetwork(parts.inputs, {}, 0, spec.outputs);
}

}  // namespace tidemill::models

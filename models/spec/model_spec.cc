#include "models/spec/model_spec.h"

#include "models/spec/networks.h"

namespace tidemill::models {

std::span<const config::Alternative<Architecture>> Architecture::Alternatives() {
  return config::Alternatives<Architecture, ArchitectureOf>(Networks());
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::ModelSpec);

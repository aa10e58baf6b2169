#include "engine/backend.h"

namespace tidemill::engine {

// In the order of the reference. A new engine is its line here.
#define TIDEMILL_ENGINES(part) part(Local) part(Command) part(Slurm) part(Kubernetes)
TIDEMILL_PART_LIST(Backend, TIDEMILL_ENGINES)

}  // namespace tidemill::engine

TIDEMILL_CONFIG_TYPE(tidemill::engine::BackendSpec);

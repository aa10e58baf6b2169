#include "transform/graph_spec.h"

TIDEMILL_CONFIG_TYPE(tidemill::transform::GraphSpec);

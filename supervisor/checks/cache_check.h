// Reports a cache of prepared samples that names an op after which nothing can be kept.
#pragma once

#include <string>

#include "config/config.h"
#include "models/training/cache_spec.h"
#include "transform/graph.h"

namespace tidemill::supervisor {

// Adds a problem at the op of `training.cache`.
void CheckCache(const models::CacheSpec& cache, const transform::Graph& graph,
                config::Problems& problems);

}  // namespace tidemill::supervisor

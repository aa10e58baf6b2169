// Finds what is allowed in a pipeline, but probably not intended.
#pragma once

#include <vector>

#include "config/remark.h"
#include "supervisor/pipeline/csv_check.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {

// An error is what can never work. Paths are those of the pipeline.
std::vector<config::Remark> Advise(const PipelineSpec& spec, const DataFacts& facts);

}  // namespace tidemill::supervisor

// What is allowed in a pipeline and hardly meant.
#pragma once

#include <vector>

#include "config/remark.h"
#include "supervisor/pipeline/csv_check.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {

// None of the remarks is an error. Paths are those of the pipeline.
std::vector<config::Remark> Advise(const PipelineSpec& spec, const DataFacts& facts);

}  // namespace tidemill::supervisor

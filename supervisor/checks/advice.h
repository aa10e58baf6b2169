// Finds settings of a pipeline that are allowed, but probably not intended.
#pragma once

#include <vector>

#include "config/remark.h"
#include "supervisor/checks/csv_check.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {

// A setting that can never work is an error. Paths begin at the pipeline.
std::vector<config::Remark> Advise(const PipelineSpec& spec, const DataFacts& facts);

}  // namespace tidemill::supervisor

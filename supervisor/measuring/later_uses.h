// How often an evaluation's samples are expected to be read again, so that it pays to keep them
// prepared.
#pragma once

#include <cstdint>

#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/run_state.h"

namespace tidemill::supervisor {

// The sum of what the supervisor knows:
// - one for each later evaluation of the pipeline on the same dataset;
// - one in a run of a sweep, whose other runs measure the same samples;
// - in a live run whose stream has not ended: one, as everything is measured at the end. If each
// new
//   model is measured on the whole dataset, four more: further ahead nothing is expected.
double LaterUsesOf(const RunState& state, const PipelineSpec& spec, int32_t evaluation);

}  // namespace tidemill::supervisor

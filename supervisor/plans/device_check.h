// Compares the devices that a pipeline names with those of a stack.
#pragma once

#include "config/documents/problems.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "tidemill/supervisor/v1/devices.pb.h"

namespace tidemill::supervisor {

// Whether a pipeline names a GPU: otherwise no stack lacks what it needs.
bool NamesGpu(const PipelineSpec& spec);

// Notes each device of the pipeline that no server of the stack has, at its key, with the available
// ones.
// A server that did not answer refuses nothing.
void CheckDevices(const PipelineSpec& spec, const v1::ListDevicesResponse& there,
                  config::Problems& problems);

}  // namespace tidemill::supervisor

// The plug-ins of a pipeline, and what they run with.
#pragma once

#include <string>
#include <vector>

#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::supervisor {

// Returns each plug-in with its version, those of its interpreter and its sandbox, as of the
// submission, in the order of the sections: "novelty.py:Novelty 1.0 (numpy 1.24.2, python 3.11.2;
// sandbox: bwrap)". One of a pipeline that was read from the database has only its name.
std::vector<std::string> PluginsOf(const PipelineSpec& spec);

// Starts each plug-in of a stored pipeline and returns the same as of now. One that does not start
// has only its name.
std::vector<std::string> PluginsNow(PipelineSpec spec);

}  // namespace tidemill::supervisor

// The measures of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "evaluator/client/evaluation_spec.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns the plug-in measure of this name from an evaluation of the run's pipeline. It can pool
// the values of several windows; the first call starts its process if it needs one. nullptr for a
// measure of Tidemill, and when the run does not have its pipeline.
std::shared_ptr<const evaluator::Measure> PluginMeasureOf(const supervisor::v1::GetRunResponse& run,
                                                          int32_t evaluation,
                                                          const std::string& name);

}  // namespace tidemill::cli

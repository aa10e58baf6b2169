// The measures of a run that are plug-ins: only the pipeline knows them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "evaluator/client/evaluation_spec.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns the measure of this name in an evaluation of the run's pipeline, ready to be asked what
// several windows have together; a process that this takes starts with the first question. nullptr
// for a measure of Tidemill, and where the run does not hold its pipeline.
std::shared_ptr<const evaluator::Measure> PluginMeasureOf(const supervisor::v1::GetRunResponse& run,
                                                          int32_t evaluation,
                                                          const std::string& name);

}  // namespace tidemill::cli

// What people must know about a measure to read its values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "evaluator/client/evaluation_spec.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Whether lower values mean a better model. False for a plug-in: ask the measure itself.
bool LowerIsBetter(std::string_view measure);

// Whether its values are shares of one, which people read in percent, whatever the values are.
// False for plug-ins.
bool IsShare(std::string_view measure);

// Whether it compares real values. Otherwise it compares classes.
bool IsOfValues(std::string_view measure);

// Returns the measure of this name, a plug-in that only the pipeline knows, in an evaluation of the
// run's pipeline, ready to be asked what several windows have together; a process that this takes
// starts with the first question. nullptr for a measure of Tidemill, and where the run does not
// hold its pipeline.
std::shared_ptr<const evaluator::Measure> PluginMeasureOf(const supervisor::v1::GetRunResponse& run,
                                                          int32_t evaluation,
                                                          const std::string& name);

}  // namespace tidemill::cli

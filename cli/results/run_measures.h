// Properties of a measure that its values are shown with.
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

// Whether its values are shares of one, which are shown in percent. False for plug-ins.
bool IsShare(std::string_view measure);

// Whether it compares real values. Otherwise it compares classes.
bool IsOfValues(std::string_view measure);

// Returns the plug-in measure of this name from an evaluation of the run's pipeline. It can pool
// the values of several windows; the first call starts its process if it needs one. nullptr for a
// measure of Tidemill, and when the run does not have its pipeline.
std::shared_ptr<const evaluator::Measure> PluginMeasureOf(const supervisor::v1::GetRunResponse& run,
                                                          int32_t evaluation,
                                                          const std::string& name);

}  // namespace tidemill::cli

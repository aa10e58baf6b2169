// The score of a run's models as one number.
#pragma once

#include <optional>

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Returns the value of the first measure with a value for models in use, else of the first with a
// value for the last model; std::nullopt when nothing is measured. Windows are combined by
// results::Pool(), as in the result of a run. A measure of a plug-in has a value only where that
// needs no call of the plug-in. `run` has the values of its models and of rules without one.
std::optional<v1::RunScore> ScoreOf(const v1::GetRunResponse& run);

}  // namespace tidemill::supervisor

// What some policies answer while there is no model: those that look at a model or at the cost of
// trainings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// Judges whether the "samples" in `observed` are enough for the first training. Without `first`,
// one sample is enough.
void JudgeFirstTraining(const std::optional<int64_t>& first, Verdict& verdict);
std::string ExplainFirstTraining(const std::optional<int64_t>& first, const Observed& observed);

}  // namespace tidemill::supervisor

// What policies that look at a model, or at what trainings took, answer while there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// Whether there are samples enough, of those "observed", for the first training; one is enough
// where nothing is said.
void JudgeFirstTraining(const std::optional<int64_t>& first, Verdict& verdict);
std::string ExplainFirstTraining(const std::optional<int64_t>& first, const Observed& observed);

}  // namespace tidemill::supervisor

// What some policies answer while there is no model: those that look at a model or at the cost of
// trainings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/remark.h"
#include "supervisor/triggers/trigger_policy.h"
#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// Judges whether the "samples" in `observed` are enough for the first training. Without `first`,
// one sample is enough.
void JudgeFirstTraining(const std::optional<int64_t>& first, Verdict& verdict);
std::string ExplainFirstTraining(const std::optional<int64_t>& first, const Observed& observed);

// Fewer samples than this say little of the data: a model that has seen no more is no measure for
// others.
inline constexpr int64_t kTinyTraining = 30;

// A warning where the first training has a handful of samples.
void AddTinyFirst(int64_t num_samples, std::vector<config::Remark>& remarks);

// A warning where the policy waits for more samples than there are.
std::vector<config::Remark> FindOutOfReach(const std::string& path,
                                           std::optional<int64_t> num_samples,
                                           const StreamFacts& stream);

}  // namespace tidemill::supervisor

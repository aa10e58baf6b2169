// The verdict of policies that need a model or the cost of trainings, while there is no model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/remark.h"
#include "supervisor/triggers/trigger_policy.h"
#include "supervisor/triggers/verdict_types.h"

namespace tidemill::supervisor {

// Judges whether the "samples" in `observed` are enough for the first training. Without `first`,
// one sample is enough.
void JudgeFirstTraining(const std::optional<int64_t>& first, Verdict& verdict);
std::string ExplainFirstTraining(const std::optional<int64_t>& first, const Observed& observed);

// Fewer samples than this say little about the data: a model trained on so few is not a standard
// for others.
inline constexpr int64_t kTinyTraining = 30;

// Warns when the first training has only a handful of samples.
void AddTinyFirst(int64_t num_samples, std::vector<config::Remark>& remarks);

// Returns warnings when the policy waits for more samples than the dataset has.
std::vector<config::Remark> FindOutOfReach(const std::string& path,
                                           std::optional<int64_t> num_samples,
                                           const StreamFacts& stream);

}  // namespace tidemill::supervisor

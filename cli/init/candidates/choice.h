// Chooses among candidates that were tried.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "cli/init/candidates/trial.h"

namespace tidemill::cli {

// Returns the place of the candidate with the best value; std::nullopt when none has one.
std::optional<size_t> BestOf(const Trial& trial);

// Returns the place of the candidate to write: the simplest one than which the best one is not
// better beyond chance, by the paired difference, or where that is unknown by its own interval. The
// 5 % of chance are shared by all differences.
// If the simplest of all is unfinished, nothing is known to be better. std::nullopt when no
// candidate has a value.
std::optional<size_t> ChooseCandidate(const Trial& trial);

// Returns the rules without a model that are better than a candidate; none when it has no value.
std::vector<TriedRule> RulesAbove(const Trial& trial, const TriedCandidate& candidate);

// Returns lines for the head of the pipeline: what was tried, and what each reached.
std::vector<std::string> DescribeTrial(const Trial& trial, std::optional<size_t> chosen);

// {"rows", "measure", "lower_is_better", "samples", "seconds", "candidates": [{"name", "value",
// "low", "high", "problem", "written"}], "rules": [{"rule", "value", "wins"}]}
nlohmann::ordered_json TrialToJson(const Trial& trial);

// Returns the draft with the chosen candidate, what was tried, and the rules that beat it.
PipelineDraft WithTrial(PipelineDraft draft, const Trial& trial);

}  // namespace tidemill::cli

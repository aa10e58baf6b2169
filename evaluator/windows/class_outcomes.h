// Extracts the inputs of measures of probabilities from a model's predictions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/measures/measure.h"
#include "evaluator/windows/scored_model.h"

namespace tidemill::evaluator {

// The columns are as in Outcomes. `scores` are as in OutcomeBlock.
struct ClassOutcomes {
  std::vector<float> true_probabilities;
  std::vector<float> top_probabilities;
  std::vector<int32_t> true_places;
  std::vector<float> scores;
};

// `predictions` has probabilities. A class that the model does not know has a probability of 0 and
// the last place. Scores are filled in on request only.
ClassOutcomes OutcomesOf(const ClassPredictions& predictions, std::span<const int64_t> true_classes,
                         bool with_scores);

}  // namespace tidemill::evaluator

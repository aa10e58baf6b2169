#include "evaluator/windows/class_outcomes.h"

namespace tidemill::evaluator {
namespace {

// How many classes come before `truly`: more probable ones, and equal ones with a lower number.
int32_t PlaceOf(std::span<const float> probabilities, int64_t truly) {
  const auto place = static_cast<size_t>(truly);
  if (truly < 0 || place >= probabilities.size()) return static_cast<int32_t>(probabilities.size());
  int32_t before = 0;
  for (size_t label = 0; label < probabilities.size(); ++label) {
    const bool tie_first = probabilities[label] == probabilities[place] && label < place;
    before += probabilities[label] > probabilities[place] || tie_first ? 1 : 0;
  }
  return before;
}

}  // namespace

ClassOutcomes OutcomesOf(const ClassPredictions& predictions, std::span<const int64_t> true_classes,
                         bool with_scores) {
  const size_t num_rows = true_classes.size();
  const auto num_classes = static_cast<size_t>(predictions.num_classes);
  const std::span<const float> all(predictions.probabilities);
  ClassOutcomes outcomes;
  for (size_t row = 0; row < num_rows; ++row) {
    const auto probabilities = all.subspan(row * num_classes, num_classes);
    const auto probability = [&](int64_t label) {
      const auto place = static_cast<size_t>(label);
      return label >= 0 && place < num_classes ? probabilities[place] : 0.0F;
    };
    outcomes.true_probabilities.push_back(probability(true_classes[row]));
    outcomes.top_probabilities.push_back(probability(predictions.classes[row]));
    outcomes.true_places.push_back(PlaceOf(probabilities, true_classes[row]));
  }
  if (!with_scores || num_classes == 0) return outcomes;
  for (size_t label = num_classes == 2 ? 1 : 0; label < num_classes; ++label) {
    for (size_t row = 0; row < num_rows; ++row) {
      outcomes.scores.push_back(all[row * num_classes + label]);
    }
  }
  return outcomes;
}

}  // namespace tidemill::evaluator

#include "cli/commands/models/prediction_score.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemill::cli {

void PredictionScore::AddClass(int64_t predicted, int64_t label) {
  ++num_labelled_;
  ++num_of_class_[label];
  num_right_ += predicted == label ? 1 : 0;
  num_as_before_ += last_class_ == label ? 1 : 0;
  last_class_ = label;
}

void PredictionScore::AddValue(double predicted, double label) {
  ++num_labelled_;
  // Welford's recurrence.
  const double before = label - mean_;
  mean_ += before / static_cast<double>(num_labelled_);
  squares_around_mean_ += before * (label - mean_);
  squared_errors_ += (predicted - label) * (predicted - label);
  if (last_value_) squared_steps_ += (label - *last_value_) * (label - *last_value_);
  last_value_ = label;
}

std::optional<PredictionScores> PredictionScore::Scores() const {
  if (num_labelled_ == 0) return std::nullopt;
  const auto count = static_cast<double>(num_labelled_);
  PredictionScores scores;
  scores.num_labelled = num_labelled_;
  if (last_value_) {
    scores.measure = "rmse";
    scores.value = std::sqrt(squared_errors_ / count);
    scores.constant = std::sqrt(squares_around_mean_ / count);
    if (num_labelled_ > 1) scores.last = std::sqrt(squared_steps_ / (count - 1));
    return scores;
  }
  const auto most =
      std::ranges::max_element(num_of_class_, {}, [](const auto& each) { return each.second; });
  scores.measure = "accuracy";
  scores.value = static_cast<double>(num_right_) / count;
  scores.constant = static_cast<double>(most->second) / count;
  if (num_labelled_ > 1) scores.last = static_cast<double>(num_as_before_) / (count - 1);
  return scores;
}

}  // namespace tidemill::cli

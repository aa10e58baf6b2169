#include "cli/commands/models/prediction_score.h"

#include <algorithm>
#include <cmath>

namespace tidemill::cli {

std::optional<double> PredictionScore::LastBefore(double label, int64_t event_time) {
  const int64_t wait = std::max<int64_t>(0, delay_.micros - 1);
  while (!coming_.empty() && coming_.front().first < event_time - wait) {
    last_ = coming_.front().second;
    coming_.pop_front();
  }
  coming_.emplace_back(event_time, label);
  num_with_last_ += last_ ? 1 : 0;
  return last_;
}

void PredictionScore::AddClass(int64_t predicted, int64_t label, int64_t event_time) {
  ++num_labelled_;
  ++num_of_class_[label];
  num_right_ += predicted == label ? 1 : 0;
  // Classes are small numbers.
  const auto known = static_cast<double>(label);
  num_as_last_ += LastBefore(known, event_time) == known ? 1 : 0;
}

void PredictionScore::AddValue(double predicted, double label, int64_t event_time) {
  ++num_labelled_;
  is_of_values_ = true;
  // Welford's recurrence.
  const double before = label - mean_;
  mean_ += before / static_cast<double>(num_labelled_);
  squares_around_mean_ += before * (label - mean_);
  squared_errors_ += (predicted - label) * (predicted - label);
  if (const auto last = LastBefore(label, event_time)) {
    squared_steps_ += (label - *last) * (label - *last);
  }
}

std::optional<PredictionScores> PredictionScore::Scores() const {
  if (num_labelled_ == 0) return std::nullopt;
  const auto count = static_cast<double>(num_labelled_);
  const auto with_last = static_cast<double>(num_with_last_);
  PredictionScores scores;
  scores.num_labelled = num_labelled_;
  if (is_of_values_) {
    scores.measure = "rmse";
    scores.value = std::sqrt(squared_errors_ / count);
    scores.constant = std::sqrt(squares_around_mean_ / count);
    if (num_with_last_ > 0) scores.last = std::sqrt(squared_steps_ / with_last);
    return scores;
  }
  const auto most =
      std::ranges::max_element(num_of_class_, {}, [](const auto& each) { return each.second; });
  scores.measure = "accuracy";
  scores.value = static_cast<double>(num_right_) / count;
  scores.constant = static_cast<double>(most->second) / count;
  if (num_with_last_ > 0) scores.last = static_cast<double>(num_as_last_) / with_last;
  return scores;
}

}  // namespace tidemill::cli

// Scores predictions and rules without a model, when the input has labels.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"

namespace tidemill::cli {

// The score of the predictions and of two rules. Rules are scored on the same rows, in their order.
struct PredictionScores {
  // "accuracy", or "rmse": the root of the mean squared error.
  std::string measure;
  int64_t num_labelled = 0;
  double value = 0;
  // Always predicting the most frequent class of these labels, or their mean: no constant is
  // better.
  double constant = 0;
  // Predicting the last label that is known at the time of the row, on the rows for which there is
  // one. Absent when there are no such rows.
  std::optional<double> last = std::nullopt;
};

// Thread-compatible. Memory grows with the rows of one delay, not with all.
class PredictionScore {
 public:
  // A label is known `delay` after its row, and one without delay after its row's moment: as the
  // baseline `last` of evaluations takes it. Labels of a series are of rows that come later.
  explicit PredictionScore(Duration delay = {}) : delay_(delay) {}

  // `event_time` is the event time of the row, in microseconds.
  void AddClass(int64_t predicted, int64_t label, int64_t event_time);
  void AddValue(double predicted, double label, int64_t event_time);

  // Absent when no row had a label.
  std::optional<PredictionScores> Scores() const;

 private:
  // Notes the label of a row for later ones, and returns the last one that is known at its time.
  std::optional<double> LastBefore(double label, int64_t event_time);

  const Duration delay_;
  int64_t num_labelled_ = 0;
  bool is_of_values_ = false;
  // The labels that are not known yet, with their times, and the last one that is.
  std::deque<std::pair<int64_t, double>> coming_;
  std::optional<double> last_;
  // The rows at whose time a label is known.
  int64_t num_with_last_ = 0;
  // The counts for classes.
  std::map<int64_t, int64_t> num_of_class_;
  int64_t num_right_ = 0;
  int64_t num_as_last_ = 0;
  // The sums for real labels: the running mean, and squares.
  double mean_ = 0;
  double squares_around_mean_ = 0;
  double squared_errors_ = 0;
  double squared_steps_ = 0;
};

}  // namespace tidemill::cli

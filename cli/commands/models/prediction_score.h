// Scores predictions and rules without a model, when the input has labels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
  // Predicting the label of the labelled row before. Absent for a single row.
  std::optional<double> last = std::nullopt;
};

// Thread-compatible. Memory does not grow with the rows.
class PredictionScore {
 public:
  void AddClass(int64_t predicted, int64_t label);
  void AddValue(double predicted, double label);

  // Absent when no row had a label.
  std::optional<PredictionScores> Scores() const;

 private:
  int64_t num_labelled_ = 0;
  // The counts for classes.
  std::map<int64_t, int64_t> num_of_class_;
  int64_t num_right_ = 0;
  int64_t num_as_before_ = 0;
  std::optional<int64_t> last_class_;
  // The sums for real labels: the running mean, and squares.
  double mean_ = 0;
  double squares_around_mean_ = 0;
  double squared_errors_ = 0;
  double squared_steps_ = 0;
  std::optional<double> last_value_;
};

}  // namespace tidemill::cli

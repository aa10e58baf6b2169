// Details about the answers of models that one number cannot express: whether probabilities are
// what they say, how errors of the two kinds are traded, and how predictions are related to the
// truth.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// Samples of similar probability.
struct CalibrationBin {
  // The least and the greatest probability in it.
  double from = 0;
  double to = 0;
  int64_t num_samples = 0;
  // The mean probability, and the share of samples for which it came true.
  double probability = 0;
  double share = 0;
};

// A reliability diagram with bins of about equal numbers of samples (Nguyen and O'Connor,
// "Posterior Calibration and Exploratory Analysis for Natural Language Processing Models", 2015).
// Samples of equal probability are in the same bin.
struct Calibration {
  // Whether the probabilities are those of class 1, as for two classes. Otherwise they are those of
  // the predicted class.
  bool is_of_class_one = false;
  std::vector<CalibrationBin> bins = {};
  // The mean distance between probability and share, weighted by samples.
  double error = 0;
  int64_t num_samples = 0;
};

// At most 15 bins, of some 30 samples or more. std::nullopt without probabilities.
std::optional<Calibration> CalibrationOf(const Outcomes& outcomes);

// A point of a ROC curve: a sample counts as class 1 if its probability is `threshold` or more.
struct RocPoint {
  double threshold = 0;
  double false_positives = 0;  // Shares of class 0 and of class 1.
  double true_positives = 0;
};

struct RocCurve {
  std::vector<RocPoint> points = {};
  double area = 0;
  int64_t num_samples = 0;
};

// From (0, 0) to (1, 1), at most some 200 points, evenly along the curve; the area is that of all.
// std::nullopt unless there are two classes, both of which occur, with probabilities.
std::optional<RocCurve> RocCurveOf(const Outcomes& outcomes);

// How often predictions in a range met true values in a range, both axes divided alike.
struct ValueGrid {
  struct Cell {
    int32_t truth = 0;  // The place of the range of the true value, from 0.
    int32_t predicted = 0;
    int64_t num_samples = 0;
  };
  // The range of both axes, and into how many equal parts it is divided.
  double from = 0;
  double to = 0;
  int32_t num_parts = 0;
  // Those that are not empty, ordered by truth and prediction.
  std::vector<Cell> cells = {};
  int64_t num_samples = 0;
  // How many of these are beyond the range, which holds 99 % of the values on each side.
  int64_t num_beyond = 0;
};

// std::nullopt without real values, and when all are the same.
std::optional<ValueGrid> ValueGridOf(const Outcomes& outcomes);

}  // namespace tidemill::evaluator

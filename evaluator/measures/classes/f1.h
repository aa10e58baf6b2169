// The F1 score of several classes.
#pragma once

#include "evaluator/measures/classes/class_counts.h"

namespace tidemill::evaluator {

// For one class, F1 = 2 TP / (2 TP + FP + FN). A class without true positives has 0.
struct F1 : OfClassScores<F1> {
  static constexpr std::string_view kType = "f1";
  static constexpr std::string_view kDoc =
      "The harmonic mean of precision and recall, averaged over the classes that occur.";

  static double ScoreOf(const ClassCounts& counts) {
    // `truly` + `predicted` is 2 TP + FP + FN, positive for every class that occurs.
    return 2.0 * static_cast<double>(counts.right) /
           static_cast<double>(counts.truly + counts.predicted);
  }
};

template <>
class MeasureOf<F1> final : public ClassScoreMeasure<F1> {};

}  // namespace tidemill::evaluator

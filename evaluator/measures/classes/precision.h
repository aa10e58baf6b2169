// The precision of several classes.
#pragma once

#include "evaluator/measures/classes/class_counts.h"

namespace tidemill::evaluator {

// A class that is never predicted has 0.
struct Precision : OfClassScores<Precision> {
  static constexpr std::string_view kType = "precision";
  static constexpr std::string_view kDoc =
      "The share of a class's predictions that are right, averaged over the classes that occur.";

  static double ScoreOf(const ClassCounts& counts) {
    if (counts.predicted == 0) return 0;
    return static_cast<double>(counts.right) / static_cast<double>(counts.predicted);
  }
};

template <>
class MeasureOf<Precision> final : public ClassScoreMeasure<Precision> {};

}  // namespace tidemill::evaluator

// The recall of several classes.
#pragma once

#include "evaluator/measures/classes/class_counts.h"

namespace tidemill::evaluator {

// A class that is predicted but never true has 0.
struct Recall : OfClassScores<Recall> {
  static constexpr std::string_view kType = "recall";
  static constexpr std::string_view kDoc =
      "The share of a class's samples that are predicted, averaged over the classes that occur.";

  static double ScoreOf(const ClassCounts& counts) {
    if (counts.truly == 0) return 0;
    return static_cast<double>(counts.right) / static_cast<double>(counts.truly);
  }
};

template <>
class MeasureOf<Recall> final : public ClassScoreMeasure<Recall> {};

}  // namespace tidemill::evaluator

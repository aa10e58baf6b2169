#include "evaluator/measures/classes/precision.h"

namespace tidemill::evaluator {

double Precision::ScoreOf(const ClassCounts& counts) {
  if (counts.predicted == 0) return 0;
  return static_cast<double>(counts.right) / static_cast<double>(counts.predicted);
}

TIDEMILL_PART(Measure, MeasureOf, Precision)

}  // namespace tidemill::evaluator

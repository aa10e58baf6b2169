#include "evaluator/measures/classes/f1.h"

namespace tidemill::evaluator {

double F1::ScoreOf(const ClassCounts& counts) {
  // `truly` + `predicted` is 2 TP + FP + FN, positive for every class that occurs.
  return 2.0 * static_cast<double>(counts.right) /
         static_cast<double>(counts.truly + counts.predicted);
}

TIDEMILL_PART(Measure, MeasureOf, F1)

}  // namespace tidemill::evaluator

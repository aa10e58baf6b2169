#include "evaluator/measures/classes/recall.h"

namespace tidemill::evaluator {

double Recall::ScoreOf(const ClassCounts& counts) {
  if (counts.truly == 0) return 0;
  return static_cast<double>(counts.right) / static_cast<double>(counts.truly);
}

TIDEMILL_PART(Measure, MeasureOf, Recall)

}  // namespace tidemill::evaluator

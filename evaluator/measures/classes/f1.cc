#include "evaluator/measures/classes/f1.h"

namespace tidemill::evaluator {
namespace {

// `truly` + `predicted` is 2 TP + FP + FN, positive for every class that occurs.
double F1Of(const ClassCounts& counts) {
  return 2.0 * static_cast<double>(counts.right) /
         static_cast<double>(counts.truly + counts.predicted);
}

}  // namespace

std::unique_ptr<Accumulator> F1::NewAccumulator() const {
  return std::make_unique<ClassScoreAccumulator>(&F1Of, average);
}

TIDEMILL_PART(Measure, MeasureOf, F1)

}  // namespace tidemill::evaluator

#include "evaluator/measures/classes/precision.h"

namespace tidemill::evaluator {
namespace {

double PrecisionOf(const ClassCounts& counts) {
  if (counts.predicted == 0) return 0;
  return static_cast<double>(counts.right) / static_cast<double>(counts.predicted);
}

}  // namespace

std::unique_ptr<Accumulator> Precision::NewAccumulator() const {
  return std::make_unique<ClassScoreAccumulator>(&PrecisionOf, average);
}

TIDEMILL_PART(Measure, MeasureOf, Precision)

}  // namespace tidemill::evaluator

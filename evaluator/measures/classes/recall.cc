#include "evaluator/measures/classes/recall.h"

namespace tidemill::evaluator {
namespace {

double RecallOf(const ClassCounts& counts) {
  if (counts.truly == 0) return 0;
  return static_cast<double>(counts.right) / static_cast<double>(counts.truly);
}

}  // namespace

std::unique_ptr<Accumulator> Recall::NewAccumulator() const {
  return std::make_unique<ClassScoreAccumulator>(&RecallOf, average);
}

TIDEMILL_PART(Measure, MeasureOf, Recall)

}  // namespace tidemill::evaluator

#include "evaluator/measures/recall.h"

namespace tidemill::evaluator {
namespace {

double ScoreOf(const ClassCounts& counts) {
  if (counts.truly == 0) return 0;
  return static_cast<double>(counts.right) / static_cast<double>(counts.truly);
}

}  // namespace

std::unique_ptr<Accumulator> Recall::NewAccumulator() const {
  return std::make_unique<ClassScoreAccumulator>(&ScoreOf, average);
}

}  // namespace tidemill::evaluator

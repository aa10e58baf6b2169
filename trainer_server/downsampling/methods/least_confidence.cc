#include "trainer_server/downsampling/spec/least_confidence.h"

#include "trainer_server/downsampling/methods/score_method.h"

namespace tidemill::trainer_server {

std::unique_ptr<const JudgingMethod> MakeMethod(const LeastConfidence& spec) {
  return MakeRanking(JudgingOf(spec, ScoreOf::kGreatestProbability), subsets::Best::kSmallest);
}

}  // namespace tidemill::trainer_server

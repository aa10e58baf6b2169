#include "trainer_server/downsampling/spec/margin.h"

#include "trainer_server/downsampling/methods/score_method.h"

namespace tidemill::trainer_server {

std::unique_ptr<const JudgingMethod> MakeMethod(const Margin& spec) {
  return MakeRanking(JudgingOf(spec, ScoreOf::kMargin), subsets::Best::kSmallest);
}

}  // namespace tidemill::trainer_server

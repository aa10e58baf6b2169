#include "trainer_server/downsampling/spec/el2n.h"

#include "trainer_server/downsampling/methods/score_method.h"

namespace tidemill::trainer_server {

std::unique_ptr<const JudgingMethod> MakeMethod(const El2n& spec) {
  return MakeRanking(JudgingOf(spec, ScoreOf::kError), subsets::Best::kGreatest);
}

}  // namespace tidemill::trainer_server

#include "trainer_server/downsampling/spec/entropy.h"

#include "trainer_server/downsampling/methods/score_method.h"

namespace tidemill::trainer_server {

std::unique_ptr<const JudgingMethod> MakeMethod(const Entropy& spec) {
  return MakeRanking(JudgingOf(spec, ScoreOf::kEntropy), subsets::Best::kGreatest);
}

}  // namespace tidemill::trainer_server

#include "trainer_server/downsampling/spec/rho_loss.h"

#include "trainer_server/downsampling/methods/score_method.h"

namespace tidemill::trainer_server {

std::unique_ptr<const JudgingMethod> MakeMethod(const RhoLoss& spec) {
  return MakeRanking({.question = {.score = ScoreOf::kLoss},
                      .fraction = spec.fraction,
                      .by_batch = spec.when == ScoreWhen::kBatchThenSample,
                      .period = spec.period},
                     subsets::Best::kGreatest);
}

}  // namespace tidemill::trainer_server

#include "trainer_server/downsampling/spec/loss.h"

#include "trainer_server/downsampling/methods/score_method.h"

namespace tidemill::trainer_server {

std::unique_ptr<const JudgingMethod> MakeMethod(const LossSampling& spec) {
  return MakeDrawing(spec, JudgingOf(spec, ScoreOf::kLoss));
}

}  // namespace tidemill::trainer_server

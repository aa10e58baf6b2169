#include "trainer_server/downsampling/spec/gradient_norm.h"

#include <utility>

#include "trainer_server/downsampling/methods/score_method.h"

namespace tidemill::trainer_server {

std::unique_ptr<const JudgingMethod> MakeMethod(const GradientNormSampling& spec) {
  const bool whole = spec.of == GradientOf::kLastLayer;
  Judging judging =
      JudgingOf(spec, whole ? ScoreOf::kLastLayerGradientNorm : ScoreOf::kGradientNorm);
  judging.question.embeddings = whole;
  return MakeDrawing(spec, std::move(judging));
}

}  // namespace tidemill::trainer_server

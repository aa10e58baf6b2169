#include "trainer_server/downsampling/spec/by_score.h"

#include <utility>

#include "trainer_server/downsampling/methods/score_method.h"

namespace tidemill::trainer_server {

std::unique_ptr<const JudgingMethod> MakeMethod(const LossSampling& spec) {
  return MakeDrawing(spec, JudgingOf(spec, ScoreOf::kLoss));
}

std::unique_ptr<const JudgingMethod> MakeMethod(const GradientNormSampling& spec) {
  const bool whole = spec.of == GradientOf::kLastLayer;
  Judging judging =
      JudgingOf(spec, whole ? ScoreOf::kLastLayerGradientNorm : ScoreOf::kGradientNorm);
  judging.question.embeddings = whole;
  return MakeDrawing(spec, std::move(judging));
}

std::unique_ptr<const JudgingMethod> MakeMethod(const LeastConfidence& spec) {
  return MakeRanking(JudgingOf(spec, ScoreOf::kGreatestProbability), subsets::Best::kSmallest);
}

std::unique_ptr<const JudgingMethod> MakeMethod(const Margin& spec) {
  return MakeRanking(JudgingOf(spec, ScoreOf::kMargin), subsets::Best::kSmallest);
}

std::unique_ptr<const JudgingMethod> MakeMethod(const Entropy& spec) {
  return MakeRanking(JudgingOf(spec, ScoreOf::kEntropy), subsets::Best::kGreatest);
}

std::unique_ptr<const JudgingMethod> MakeMethod(const El2n& spec) {
  return MakeRanking(JudgingOf(spec, ScoreOf::kError), subsets::Best::kGreatest);
}

}  // namespace tidemill::trainer_server

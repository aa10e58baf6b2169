#include "trainer_server/downsampling/sample_scores.h"

#include "models/class_logits.h"

namespace tidemill::trainer_server {
namespace {

// For each class.
torch::Tensor LogProbabilities(const models::LossSpec& loss, const torch::Tensor& output) {
  return torch::log_softmax(models::ClassLogits(output, *loss->OfClasses()), 1);
}

// Greatest probability minus the second; an only class is certain.
torch::Tensor MarginOf(const torch::Tensor& probabilities) {
  if (probabilities.size(1) == 1) return probabilities.select(1, 0);
  const torch::Tensor best = std::get<0>(probabilities.topk(2, /*dim=*/1));
  return best.select(1, 0) - best.select(1, 1);
}

torch::Tensor Truth(const torch::Tensor& target, int64_t num_classes) {
  return torch::one_hot(target, num_classes).to(torch::kFloat32);
}

}  // namespace

torch::Tensor Probabilities(const models::LossSpec& loss, const torch::Tensor& output) {
  return LogProbabilities(loss, output).exp();
}

torch::Tensor Score(ScoreOf what, const models::LossSpec& loss, const Answers& answers) {
  switch (what) {
    case ScoreOf::kLoss:
      return models::SampleLosses(loss, answers.output, answers.target);
    case ScoreOf::kGradientNorm:
      return models::OutputGradients(loss, answers.output, answers.target).norm(2, 1);
    case ScoreOf::kLastLayerGradientNorm:
      return models::OutputGradients(loss, answers.output, answers.target).norm(2, 1) *
             (1 + answers.embedding.square().sum(1)).sqrt();
    case ScoreOf::kGreatestProbability:
      return LogProbabilities(loss, answers.output).amax(1).exp();
    case ScoreOf::kMargin:
      return MarginOf(Probabilities(loss, answers.output));
    case ScoreOf::kEntropy: {
      // Zero, not NaN, for a class whose probability rounds to nothing.
      const torch::Tensor log_p = LogProbabilities(loss, answers.output);
      return -(log_p.exp() * log_p.clamp_min(-200)).sum(1);
    }
    case ScoreOf::kError:
      break;
  }
  if (!loss->IsOfClasses()) {
    return (answers.output - answers.target.to(torch::kFloat32).reshape_as(answers.output))
        .norm(2, 1);
  }
  const torch::Tensor p = Probabilities(loss, answers.output);
  return (p - Truth(answers.target, p.size(1))).norm(2, 1);
}

}  // namespace tidemill::trainer_server

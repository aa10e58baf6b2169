#include "trainer_server/downsampling/sample_scores.h"

#include "base/overloaded.h"
#include "models/class_logits.h"
#include "models/loss.h"

namespace tidemill::trainer_server {
namespace {

// Of each class.
torch::Tensor LogProbabilities(const models::Loss& loss, const torch::Tensor& output) {
  return torch::log_softmax(models::ClassLogits(output, models::ClassOutputsOf(loss)), 1);
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

torch::Tensor CrossEntropyGradients(const models::CrossEntropy& spec, const Answers& answers) {
  const int64_t num_classes = answers.output.size(1);
  const torch::Tensor p = torch::softmax(answers.output, 1);
  const torch::Tensor truth = Truth(answers.target, num_classes);
  torch::Tensor weights = torch::ones({num_classes}, p.options());
  if (!spec.class_weights.empty()) weights = torch::tensor(spec.class_weights, p.options());
  // The loss is -sum q log p, where q is weighted and smoothed and does not add up to 1.
  const torch::Tensor q = weights * (truth * (1 - spec.label_smoothing) +
                                     spec.label_smoothing / static_cast<double>(num_classes));
  return p * q.sum(1, /*keepdim=*/true) - q;
}

torch::Tensor BceGradients(const models::BceWithLogits& spec, const Answers& answers) {
  const torch::Tensor truth = answers.target.to(torch::kFloat32).reshape_as(answers.output);
  const torch::Tensor p = torch::sigmoid(answers.output);
  return (1 - truth) * p - spec.positive_weight * truth * (1 - p);
}

}  // namespace

torch::Tensor OutputGradients(const models::Loss& loss, const Answers& answers) {
  const auto width = static_cast<double>(answers.output.size(1));
  const auto error = [&] {
    return answers.output - answers.target.to(torch::kFloat32).reshape_as(answers.output);
  };
  return std::visit(
      Overloaded{
          [&](const models::CrossEntropy& spec) { return CrossEntropyGradients(spec, answers); },
          [&](const models::BceWithLogits& spec) { return BceGradients(spec, answers); },
          [&](const models::Mse&) { return 2 * error() / width; },
          [&](const models::L1&) { return error().sign() / width; },
          [&](const models::Huber& spec) {
            return error().clamp(-spec.delta, spec.delta) / width;
          }},
      loss);
}

torch::Tensor Score(ScoreOf what, const models::Loss& loss, const Answers& answers) {
  switch (what) {
    case ScoreOf::kLoss:
      return models::SampleLosses(loss, answers.output, answers.target);
    case ScoreOf::kGradientNorm:
      return OutputGradients(loss, answers).norm(2, 1);
    case ScoreOf::kLastLayerGradientNorm:
      return OutputGradients(loss, answers).norm(2, 1) *
             (1 + answers.embedding.square().sum(1)).sqrt();
    case ScoreOf::kGreatestProbability:
      return LogProbabilities(loss, answers.output).amax(1).exp();
    case ScoreOf::kMargin:
      return MarginOf(LogProbabilities(loss, answers.output).exp());
    case ScoreOf::kEntropy: {
      // Zero, not NaN, for a class whose probability rounds to nothing.
      const torch::Tensor log_p = LogProbabilities(loss, answers.output);
      return -(log_p.exp() * log_p.clamp_min(-200)).sum(1);
    }
    case ScoreOf::kError:
      break;
  }
  if (!models::IsOfClasses(loss)) {
    return (answers.output - answers.target.to(torch::kFloat32).reshape_as(answers.output))
        .norm(2, 1);
  }
  const torch::Tensor p = LogProbabilities(loss, answers.output).exp();
  return (p - Truth(answers.target, p.size(1))).norm(2, 1);
}

}  // namespace tidemill::trainer_server

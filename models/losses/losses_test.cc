#include "models/training/losses/losses.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/testing/not_tried.h"
#include "models/loss.h"

namespace tidemill::models {
namespace {

// By the gradient that torch itself computes, for every loss.
TEST(Losses, OutputGradientsAreThoseOfTheLoss) {
  const std::vector<LossSpec> losses = {
      CrossEntropy{},
      CrossEntropy{.label_smoothing = 0.2, .class_weights = {1, 2, 0.5}},
      BceWithLogits{.positive_weight = 3},
      Mse{},
      L1{},
      Huber{.delta = 0.7},
      SmoothL1{.beta = 0.7},
      Hinge{.margin = 1.5},
      MulticlassHinge{.margin = 1.5},
      Focal{},
      Focal{.gamma = 0.5, .alpha = 0.7},
      MulticlassFocal{},
      MulticlassFocal{.gamma = 0, .alpha = {1, 2, 0.5}}};
  EXPECT_THAT(config::testing::NotTried(losses), ::testing::IsEmpty());
  for (const LossSpec& loss : losses) {
    torch::Tensor output = torch::tensor({{2.0f, 1.0f, 0.0f},
                                          {0.0f, 0.0f, 0.0f},
                                          {-1.0f, 3.0f, 0.5f},
                                          {1.0f, 1.0f, 1.0f},
                                          {4.0f, -2.0f, 0.0f}});
    torch::Tensor target = torch::tensor({0, 2, 1, 0, 1}, torch::kInt64);
    if (loss->OfClasses() == ClassOutputs::kSigmoid) {
      output = output.select(1, 0).unsqueeze(1);
      target = target.clamp_max(1);
    } else if (!loss->IsOfClasses()) {
      target = torch::arange(15, torch::kFloat32).reshape({5, 3}) / 4 - 1.3;
    }
    output = output.clone().requires_grad_(true);
    SampleLosses(loss, output, target).sum().backward();
    const torch::NoGradGuard no_gradients;
    const torch::Tensor gradients = OutputGradients(loss, output, target);
    EXPECT_TRUE(torch::allclose(gradients, output.grad(), 1e-5, 1e-6)) << loss.type() << "\n"
                                                                       << gradients << "\n"
                                                                       << output.grad();
  }
}

}  // namespace
}  // namespace tidemill::models

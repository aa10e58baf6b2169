#include "models/low_rank.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "torch/script.h"

#include "models/network.h"
#include "models/optimizer.h"
#include "models/spec/networks.h"
#include "models/training/optimizers/optimizers.h"

namespace tidemill::models {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Network MakeMlp() {
  SeedGenerator({.seed = 1, .purpose = "init"});
  return MakeNetwork(Mlp{.hidden = {6}, .outputs = 3}, {{"input", {{4}, false}}}).value();
}

void Train(Network& network, int64_t steps) {
  Optimizer optimizer = Optimizer::Make({{.optimizer = Adam{.lr = 0.05}}}, network).value();
  torch::manual_seed(3);
  const torch::Tensor input = torch::randn({8, 4});
  for (int64_t step = 0; step < steps; ++step) {
    optimizer.ZeroGradients();
    network.Forward({{"input", input}}).square().mean().backward();
    optimizer.Step(1);
  }
}

TEST(LowRank, BeginsAsTheNetworkAndTrainsTheAdditionsOnly) {
  Network network = MakeMlp();
  const torch::Tensor input = torch::randn({5, 4});
  const torch::Tensor before = network.Forward({{"input", input}}).detach();
  const torch::Tensor weight = network.module->named_parameters()["hidden1.weight"].clone();
  ASSERT_TRUE(LowRank::Add({.rank = 2, .alpha = 4, .layers = {"hidden*"}}, network).ok());
  EXPECT_TRUE(torch::equal(network.Forward({{"input", input}}), before));
  std::vector<std::string> trained;
  for (const auto& [name, tensor] : TrainedOf(network)) trained.push_back(name);
  EXPECT_THAT(trained, ElementsAre("hidden1.bias", "output.weight", "output.bias", "lora.hidden1.a",
                                   "lora.hidden1.b"));
  Train(network, 5);
  EXPECT_TRUE(torch::equal(network.module->named_parameters()["hidden1.weight"], weight));
  EXPECT_FALSE(torch::equal(network.Forward({{"input", input}}), before));
}

TEST(LowRank, BecomesAPartOfTheWeightsThatAreStored) {
  Network network = MakeMlp();
  ASSERT_TRUE(LowRank::Add({.rank = 2, .alpha = 4, .layers = {"*"}}, network).ok());
  Train(network, 5);
  const torch::Tensor input = torch::randn({5, 4});
  const auto stored =
      DecodeNetwork(Mlp{.hidden = {6}, .outputs = 3}, EncodeWeights(network).value());
  ASSERT_TRUE(stored.ok()) << stored.status().ToString();
  EXPECT_TRUE(torch::allclose(stored->Forward({{"input", input}}),
                              network.Forward({{"input", input}}), 1e-5, 1e-6));
}

TEST(LowRank, APatternWithoutALinearLayerIsNamed) {
  Network network = MakeMlp();
  EXPECT_THAT(std::string(LowRank::Add({.layers = {"atention*"}}, network).message()),
              AllOf(HasSubstr("'atention*'"), HasSubstr("there is output")));
}

TEST(LowRank, WorksInATorchScriptFile) {
  torch::jit::Module linear(c10::QualifiedName("__torch__.torch.nn.modules.linear.Linear"),
                            std::make_shared<torch::jit::CompilationUnit>());
  linear.register_parameter("weight", torch::ones({3, 4}).set_requires_grad(true), false);
  linear.define("def forward(self, x):\n  return torch.matmul(x, self.weight.t())\n");
  torch::jit::Module script("Script");
  script.register_module("linear", linear);
  script.define("def forward(self, input):\n  return self.linear.forward(input)\n");
  const std::string path = ::testing::TempDir() + "/low_rank.pt";
  script.save(path);
  Network network =
      MakeNetwork(TorchScript{.file = path, .outputs = 3}, {{"input", {{4}, false}}}).value();
  ASSERT_TRUE(LowRank::Add({.rank = 1, .layers = {"linear"}}, network).ok());
  const torch::Tensor input = torch::randn({5, 4});
  const torch::Tensor before = network.Forward({{"input", input}}).detach();
  Train(network, 3);
  EXPECT_FALSE(torch::equal(network.Forward({{"input", input}}), before));
  const auto stored =
      DecodeNetwork(TorchScript{.file = path, .outputs = 3}, EncodeWeights(network).value());
  ASSERT_TRUE(stored.ok()) << stored.status().ToString();
  EXPECT_TRUE(torch::allclose(stored->Forward({{"input", input}}),
                              network.Forward({{"input", input}}), 1e-5, 1e-6));
}

}  // namespace
}  // namespace tidemill::models

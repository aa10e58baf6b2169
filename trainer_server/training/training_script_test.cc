// Trainings of networks from files.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "torch/script.h"

#include "base/files.h"
#include "models/spec/networks.h"
#include "models/training/optimizers/adam.h"
#include "trainer_server/testing/between_batches.h"
#include "trainer_server/testing/memory_source.h"
#include "trainer_server/testing/trained.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::HasSubstr;
using testing::MemorySource;
using testing::Nothing;
using testing::Parse;
using testing::Train;
using testing::Trained;

class ScriptFile : public ::testing::Test {
 protected:
  ScriptFile() : path_(::testing::TempDir() + "/network.pt") { Write("torch.relu"); }

  void Write(const std::string& activation, const std::string& before = "") {
    torch::jit::Module part("Part");
    part.register_parameter(
        "weight", torch::full({testing::kInputWidth, 3}, 0.1f).set_requires_grad(true), false);
    part.define("def forward(self, x):\n" + before + "  return " + activation +
                "(torch.matmul(x, self.weight))\n");
    torch::jit::Module network("Network");
    network.register_module("part", part);
    network.register_parameter("bias", torch::zeros({3}).set_requires_grad(true), false);
    network.define("def forward(self, input):\n  return self.part.forward(input) + self.bias\n");
    network.save(path_);
  }

  TrainingSetup SetupOfFile() const {
    return {.model = models::TorchScript{.file = path_, .outputs = 3},
            .training = {.epochs = 20, .batch_size = 8, .optimizer = models::Adam{.lr = 0.02}}};
  }

  const std::string path_;
};

TEST_F(ScriptFile, IsTrainedAndKeptWithItsWeights) {
  const TrainingSetup setup = SetupOfFile();
  TrainingLoop loop(setup);
  MemorySource source({.epochs = 20});
  const absl::Status status = loop.Run(source, Nothing);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::string weights = loop.Weights().value();
  const auto arrays = Parse(weights);
  EXPECT_TRUE(arrays.contains("part.weight"));
  EXPECT_FALSE(torch::equal(arrays.at("bias"), torch::zeros({3})));
  // The file is no longer needed to use what was trained.
  std::filesystem::remove(path_);
  const auto network = models::DecodeNetwork(setup.model, weights);
  ASSERT_TRUE(network.ok()) << network.status().ToString();
  const torch::Tensor input = torch::randn({4, testing::kInputWidth});
  const torch::Tensor expected =
      torch::relu(input.matmul(arrays.at("part.weight"))) + arrays.at("bias");
  EXPECT_TRUE(torch::allclose(network->Forward({{"input", input}}), expected));
}

// Its batch normalisation would change its buffers, and its dropout the output.
TEST_F(ScriptFile, KeepsFrozenLayersInEvaluationMode) {
  torch::jit::Module part("Part");
  part.register_parameter(
      "weight", torch::full({testing::kInputWidth, 3}, 0.1f).set_requires_grad(true), false);
  part.register_buffer("calls", torch::zeros({1}));
  part.register_attribute("training", c10::BoolType::get(), true);
  part.define(
      "def forward(self, x):\n  if self.training:\n    self.calls += 1\n"
      "  return torch.matmul(x, self.weight)\n");
  torch::jit::Module network("Network");
  network.register_module("part", part);
  network.register_parameter("bias", torch::zeros({3}).set_requires_grad(true), false);
  network.define("def forward(self, input):\n  return self.part.forward(input) + self.bias\n");
  network.save(path_);
  const auto train = [&](std::vector<std::string> frozen) {
    TrainingSetup setup = SetupOfFile();
    setup.training.frozen = std::move(frozen);
    return Train(setup, {});
  };
  const Trained free = train({});
  EXPECT_GT(free.weights.at("part.calls").item<float>(), 0);
  EXPECT_FALSE(
      torch::equal(free.weights.at("part.weight"), torch::full({testing::kInputWidth, 3}, 0.1f)));
  const Trained frozen = train({"part.*"});
  EXPECT_EQ(frozen.weights.at("part.calls").item<float>(), 0);
  EXPECT_TRUE(
      torch::equal(frozen.weights.at("part.weight"), torch::full({testing::kInputWidth, 3}, 0.1f)));
  EXPECT_FALSE(torch::equal(frozen.weights.at("bias"), torch::zeros({3})));
}

TEST_F(ScriptFile, MustNotChangeBetweenACheckpointOrParentAndWhatFollows) {
  TrainingLoop loop(SetupOfFile());
  MemorySource source({.epochs = 1});
  const absl::Status status = loop.Run(source, Nothing);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::string checkpoint = loop.Checkpoint().value();
  EXPECT_TRUE(TrainingLoop(SetupOfFile()).Restore(checkpoint).ok());
  TrainingSetup child = SetupOfFile();
  child.parent_weights = loop.Weights().value();
  MemorySource more({.epochs = 1});
  EXPECT_TRUE(TrainingLoop(child).Run(more, Nothing).ok());

  Write("torch.tanh");
  EXPECT_EQ(TrainingLoop(SetupOfFile()).Restore(checkpoint).code(),
            absl::StatusCode::kFailedPrecondition);
  MemorySource again({.epochs = 1});
  EXPECT_EQ(TrainingLoop(child).Run(again, Nothing).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ScriptFile, ThatNeedsTooMuchMemoryForAStepSaysHowManySamplesFit) {
  Write("torch.relu", "  assert x.size(0) < 4, \"CUDA out of memory\"\n");
  MemorySource source({});
  const absl::Status status = TrainingLoop(SetupOfFile()).Run(source, Nothing);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("a step of 8 samples does not fit into memory; 2 samples do: write "
                        "batch_size: 2, and accumulate: 4 for the same steps"));
  Write("torch.relu", "  assert x.size(0) < 1, \"CUDA out of memory\"\n");
  MemorySource again({});
  EXPECT_THAT(std::string(TrainingLoop(SetupOfFile()).Run(again, Nothing).message()),
              HasSubstr("a step of one sample does not fit into memory"));
}

TEST_F(ScriptFile, ThatIsNoneIsRefused) {
  ASSERT_TRUE(files::WriteAtomically(path_, "import os").ok());
  MemorySource source({});
  const absl::Status status = TrainingLoop(SetupOfFile()).Run(source, Nothing);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("does not hold a TorchScript module"));
}

}  // namespace
}  // namespace tidemill::trainer_server

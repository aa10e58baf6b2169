// Trainings on batches of samples of similar length.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "torch/script.h"

#include "base/digest.h"
#include "base/testing/status_matchers.h"
#include "loader/batches/batch_stream.h"
#include "loader/testing/text_set.h"
#include "models/spec/embedding_bag.h"
#include "models/spec/text_transformer.h"
#include "models/spec/torchscript.h"
#include "models/training/optimizers/adam.h"
#include "trainer_server/testing/between_batches.h"
#include "trainer_server/training/devices/training_device.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::HasSubstr;
using testing::Nothing;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

constexpr int64_t kNumSamples = 400;

// The text set without the column that text models do not take.
constexpr char kTokenGraph[] =
    "- parse_csv: {columns: [b], dtype: string}\n"
    "- hash_tokens: {column: b, buckets: 1000, length: 96, into: input}\n- label: {into: target}\n";

TrainingSetup MakeSetup(models::ModelSpec model, models::RowLayout layout) {
  TrainingSetup setup;
  setup.model = std::move(model);
  setup.training = {.epochs = 2,
                    .batch_size = 16,
                    .optimizer = models::Adam{.lr = 0.01},
                    .seed = 42,
                    .buckets = models::Buckets{.window = 7, .layout = layout}};
  setup.inputs = {{"input", {{loader::testing::kTextWidth}, true}}};
  setup.trigger = 5;
  return setup;
}

models::EmbeddingBag Bag() { return {.vocabulary = 1001, .width = 8, .outputs = 5}; }
models::TextTransformer Transformer() {
  return {.vocabulary = 1001, .width = 8, .heads = 2, .layers = 1, .outputs = 5};
}

std::unique_ptr<loader::BatchSource> SourceOf(const TrainingSetup& setup, int64_t first_batch) {
  auto stream = loader::BatchStream::Create(
      {.set = loader::testing::Shared(loader::testing::MakeSet(kNumSamples)),
       .reader = loader::testing::ReadTexts,
       .graph = loader::testing::MakeGraph(kTokenGraph)},
      {.batch_size = setup.training.batch_size,
       .epochs = setup.training.epochs,
       .shuffle = {.seed = setup.training.seed, .purpose = "shuffle", .trigger = setup.trigger},
       .first_batch = first_batch,
       .buckets = setup.training.buckets},
      {});
  EXPECT_THAT(stream, IsOk());
  return *std::move(stream);
}

std::string WeightsOf(const TrainingLoop& loop) {
  const auto weights = loop.Weights();
  EXPECT_THAT(weights, IsOk());
  return weights.value_or("");
}

std::string Train(const TrainingSetup& setup) {
  TrainingLoop loop(setup);
  EXPECT_THAT(loop.Run(*SourceOf(setup, 0), Nothing), IsOk());
  return WeightsOf(loop);
}

TEST(BucketedTraining, ResumedAtAnyBatchEndsWithTheSameBits) {
  MakeDeterministic(1);
  const std::vector<std::pair<models::ModelSpec, models::RowLayout>> trainings = {
      {Bag(), models::RowLayout::kPadded},
      {Bag(), models::RowLayout::kRagged},
      {Transformer(), models::RowLayout::kPadded}};
  for (const auto& [model, layout] : trainings) {
    const TrainingSetup setup = MakeSetup(model, layout);
    std::vector<std::string> checkpoints;
    TrainingLoop whole(setup);
    const auto keep = [&](TrainingLoop& loop) {
      checkpoints.push_back(loop.Checkpoint().value());
      return absl::OkStatus();
    };
    ASSERT_THAT(whole.Run(*SourceOf(setup, 0), keep), IsOk());
    ASSERT_EQ(checkpoints.size(), 50u);
    EXPECT_EQ(whole.counters().samples, 2 * kNumSamples);
    for (size_t i = 0; i < checkpoints.size(); i += 3) {
      TrainingLoop resumed(setup);
      ASSERT_THAT(resumed.Restore(checkpoints[i]), IsOk());
      ASSERT_THAT(resumed.Run(*SourceOf(setup, resumed.counters().batches), Nothing), IsOk());
      EXPECT_EQ(WeightsOf(resumed), WeightsOf(whole)) << "resumed after batch " << i;
    }
  }
}

TEST(BucketedTraining, GivesAModelForRowsOfFullWidth) {
  MakeDeterministic(1);
  for (const auto layout : {models::RowLayout::kPadded, models::RowLayout::kRagged}) {
    const TrainingSetup setup = MakeSetup(Bag(), layout);
    const auto network = models::DecodeNetwork(setup.model, Train(setup));
    ASSERT_THAT(network, IsOk());
    EXPECT_EQ(network->inputs, setup.inputs);
    const models::Inputs rows = {
        {"input", torch::ones({3, loader::testing::kTextWidth}, torch::kInt64)}};
    EXPECT_THAT(network->Check(rows), IsOk());
    EXPECT_EQ(network->Forward(rows).size(1), 5);
  }
}

TEST(BucketedTraining, RaggedRowsTeachWhatPaddedOnesTeach) {
  MakeDeterministic(1);
  const auto weight_of = [](models::RowLayout layout) {
    const TrainingSetup setup = MakeSetup(Bag(), layout);
    const models::Network network = models::DecodeNetwork(setup.model, Train(setup)).value();
    return network.module->named_parameters()["embedding.weight"].detach();
  };
  // Sums are computed in another order.
  EXPECT_TRUE(torch::allclose(weight_of(models::RowLayout::kRagged),
                              weight_of(models::RowLayout::kPadded), 1e-2, 1e-3));
}

class RaggedScript : public ::testing::Test {
 protected:
  ~RaggedScript() override { std::filesystem::remove(path_); }

  TrainingSetup SetupOf(const std::string& forward) const {
    torch::jit::Module network("Network");
    network.register_parameter("weight", torch::full({1001, 5}, 0.1f).set_requires_grad(true),
                               false);
    network.define(forward);
    network.save(path_);
    return MakeSetup(models::TorchScript{.file = path_, .outputs = 5}, models::RowLayout::kRagged);
  }

  const std::string path_ = ::testing::TempDir() + "/ragged.pt";
};

TEST_F(RaggedScript, IsGivenNumbersAndOffsets) {
  const TrainingSetup setup = SetupOf(
      "def forward(self, input, input_offsets: Optional[Tensor] = None):\n"
      "  if input_offsets is None:\n"
      "    return torch.embedding(self.weight, input).sum(1)\n"
      "  bags = torch.embedding_bag(self.weight, input, input_offsets, False, 0, False, None, "
      "True)\n"
      "  return bags[0]\n");
  EXPECT_NE(Train(setup), "");
}

TEST_F(RaggedScript, ThatTakesNoPaddedRowsIsRefusedBeforeItIsTrained) {
  const TrainingSetup setup = SetupOf(
      "def forward(self, input, input_offsets):\n"
      "  bags = torch.embedding_bag(self.weight, input, input_offsets, False, 0, False, None, "
      "True)\n"
      "  return bags[0]\n");
  TrainingLoop loop(setup);
  EXPECT_THAT(loop.Run(*SourceOf(setup, 0), Nothing),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the default None")));
  EXPECT_EQ(loop.counters().batches, 0);
}

}  // namespace
}  // namespace tidemill::trainer_server

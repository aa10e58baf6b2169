// What single methods promise.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "models/spec/logistic.h"
#include "models/spec/mlp.h"
#include "models/torch/safetensors.h"
#include "models/training/optimizers/adam.h"
#include "models/training/optimizers/sgd.h"
#include "trainer_server/downsampling/irreducible_losses.h"
#include "trainer_server/testing/downsampling_room.h"

namespace tidemill::trainer_server {
namespace {

using testing::DownsampledTraining;
using testing::Keep;
using testing::MemorySet;
using testing::NameOf;
using testing::Outcome;
using testing::Recorded;

TEST_F(DownsampledTraining, InfoBatchLeavesOutSomeOfWhatIsLearntUntilTheEnd) {
  MemorySet set({.size = 400});
  const Outcome outcome = Train(Setup({.epochs = 8}), Downsampling(InfoBatch{}, set));
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
  EXPECT_EQ(outcome.tally.epochs[0].num_chosen, 400) << "nothing was seen yet";
  for (size_t epoch = 1; epoch < 7; ++epoch) {
    EXPECT_LT(outcome.tally.epochs[epoch].num_chosen, 360);
    EXPECT_GT(outcome.tally.epochs[epoch].num_chosen, 200);
    // Weights add up to the number of all samples.
    EXPECT_NEAR(outcome.tally.epochs[epoch].weight_sum, 400, 0.01);
  }
  EXPECT_EQ(outcome.tally.epochs[7].num_chosen, 400) << "from 0.875 of the epochs on all train";
  EXPECT_EQ(outcome.tally.epochs[1].num_scored, 0);
}

TEST_F(DownsampledTraining, TwinsAreAskedAboutWhatTheyDidNotSee) {
  // Without order in it: a model knows the class of a sample only if it saw it.
  const auto class_of = [](int64_t ordinal) {
    return static_cast<int64_t>(RandomBits({.seed = 8, .purpose = "test"}, ordinal) % 3);
  };
  MemorySet set({.size = 60, .class_of = class_of});
  TrainingSetup setup = Setup({.epochs = 1, .optimizer = models::Adam{.lr = 0.02}});
  setup.model = models::Mlp{.hidden = {256}, .outputs = 3};
  RhoLoss method;
  method.twin = true;
  method.epochs = 300;
  DownsamplingSetup downsampling = Downsampling(method, set);
  const auto twin = FindIrreducibleLosses(*models::DownsamplingSpec(method)->Auxiliary(), setup,
                                          downsampling, downsampling.folder + "/twin");
  ASSERT_TRUE(twin.ok()) << twin.status().ToString();
  double sum = 0;
  for (const float loss : twin->numbers) {
    ASSERT_TRUE(std::isfinite(loss));
    sum += static_cast<double>(loss);
  }
  EXPECT_GT(sum / 60, 1.5) << "whoever learnt these labels by heart would be near zero";
  // The model that saw a sample does know it.
  method.twin = false;
  method.holdout = 0.5;
  const auto half = FindIrreducibleLosses(*models::DownsamplingSpec(method)->Auxiliary(), setup,
                                          downsampling, downsampling.folder + "/half");
  ASSERT_TRUE(half.ok());
  int64_t num_none = 0;
  for (size_t i = 0; i < 60; ++i) {
    if (std::isnan(half->numbers[i])) {
      ++num_none;
    } else {
      EXPECT_EQ(half->numbers[i], twin->numbers[i]) << "asked about the same half";
    }
  }
  EXPECT_EQ(num_none, 30) << "an exact share";
}

TEST_F(DownsampledTraining, AHoldoutIsNeverTrainedOn) {
  RhoLoss method = Keep<RhoLoss>(0.5);
  method.holdout = 0.2;
  MemorySet set({});
  const DownsamplingSetup downsampling = Downsampling(method, set);
  const Outcome outcome = Train(Setup(), downsampling);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
  const auto losses = ReadNumbers(downsampling.folder + "/losses");
  ASSERT_TRUE(losses.ok());
  EXPECT_EQ(std::ranges::count_if(losses->numbers, [](float loss) { return std::isnan(loss); }),
            20);
  for (const Recorded& batch : outcome.batches) {
    for (const int64_t ordinal : batch.ordinals) {
      EXPECT_FALSE(std::isnan(losses->numbers[static_cast<size_t>(ordinal)]));
    }
  }
}

TEST_F(DownsampledTraining, AMissingChoiceOfARunningPeriodIsAnError) {
  MemorySet set({});
  DownsamplingSetup downsampling = Downsampling(Keep<Margin>(0.3), set);
  const Outcome whole = Train(Setup(), downsampling);
  downsampling.folder += "/elsewhere";
  TrainingLoop loop(Setup());
  ASSERT_TRUE(loop.Restore(whole.checkpoints[1]).ok());
  EXPECT_EQ(MakeDownsampledSource(downsampling, loop).status().code(), absl::StatusCode::kNotFound);
}

// One linear layer, steps of plain gradient descent from the same weights: the mean step over seeds
// is that of the full gradient.
TEST_F(DownsampledTraining, TheMeanStepOfADrawIsThatOfAllSamples) {
  const auto step = [&](const models::DownsamplingSpec& method, int64_t seed) {
    MemorySet set({.size = 40});
    TrainingSetup setup{.model = models::Logistic{.outputs = 3},
                        .training = {.epochs = 1,
                                     .batch_size = 1000,
                                     .optimizer = models::Sgd{.lr = 1},
                                     .seed = seed},
                        .trigger = 5};
    TrainingLoop parent(
        {.model = models::Logistic{.outputs = 3},
         .training = {
             .epochs = 1, .batch_size = 1000, .optimizer = models::Sgd{.lr = 0}, .seed = 1}});
    const loader::BatchPlan whole{.batch_size = 1000, .shuffle = {.seed = 0, .purpose = "shuffle"}};
    const auto all = set.Open(whole).value();
    EXPECT_TRUE(parent.Run(*all, [](TrainingLoop&) { return absl::OkStatus(); }).ok());
    setup.parent_weights = parent.Weights().value();
    TrainingLoop loop(setup);
    std::unique_ptr<loader::BatchSource> source;
    if (method->IsNone()) {
      source = set.Open(whole).value();
    } else {
      source = MakeDownsampledSource(Downsampling(method, set), loop).value();
    }
    EXPECT_TRUE(loop.Run(*source, [](TrainingLoop&) { return absl::OkStatus(); }).ok());
    const auto file = models::ReadTensorFile(loop.Weights().value());
    std::vector<double> numbers;
    for (const auto& [name, bytes] : file->tensors) {
      const torch::Tensor tensor = models::TensorOf(bytes)->flatten();
      for (int64_t i = 0; i < tensor.numel(); ++i) numbers.push_back(tensor[i].item<double>());
    }
    return numbers;
  };
  const std::vector<double> truth = step(NoDownsampling{}, 1);
  for (const models::DownsamplingSpec& method :
       {models::DownsamplingSpec(Keep<LossSampling>(0.2)),
        models::DownsamplingSpec(Keep<GradientNormSampling>(0.2))}) {
    constexpr int kSeeds = 200;
    std::vector<double> sums(truth.size());
    std::vector<double> squares(truth.size());
    for (int seed = 0; seed < kSeeds; ++seed) {
      const std::vector<double> one = step(method, seed);
      for (size_t i = 0; i < truth.size(); ++i) {
        sums[i] += one[i];
        squares[i] += one[i] * one[i];
      }
    }
    for (size_t i = 0; i < truth.size(); ++i) {
      const double mean = sums[i] / kSeeds;
      const double error = std::sqrt((squares[i] / kSeeds - mean * mean) / kSeeds);
      EXPECT_LT(std::abs(mean - truth[i]), 4 * error + 1e-6) << NameOf(method) << ", weight " << i;
    }
  }
}

}  // namespace
}  // namespace tidemill::trainer_server

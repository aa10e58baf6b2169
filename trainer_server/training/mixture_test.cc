#include "trainer_server/training/mixture.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "models/loss.h"
#include "models/spec/networks.h"
#include "models/training/losses/real_losses.h"
#include "models/training/optimizers/sgd.h"
#include "trainer_server/testing/between_batches.h"
#include "trainer_server/testing/memory_source.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {
namespace {

using models::Augment;
using models::AugmentType;
using testing::MemorySource;
using testing::Nothing;
using tidemill::testing::IsOk;

TEST(Mix, OfMixupIsTheWeightedSumOfARowAndItsPartner) {
  const torch::Tensor rows = torch::tensor({{1.0F, 2.0F}, {10.0F, 20.0F}, {100.0F, 200.0F}});
  const torch::Tensor target = torch::tensor({0, 1, 2});
  const RowPair pairs[] = {
      {.partner = 2, .share = 0.75}, {.partner = 0, .share = 1}, {.partner = 1, .share = 0}};
  const Mixture mixture = Mix({.type = AugmentType::kMixup}, pairs, {{"input", rows}}, target);
  EXPECT_TRUE(torch::allclose(mixture.inputs.at("input"),
                              torch::tensor({{25.75F, 51.5F}, {10.0F, 20.0F}, {10.0F, 20.0F}})));
  EXPECT_TRUE(torch::equal(mixture.partner_target, torch::tensor({2, 0, 1})));
  EXPECT_TRUE(torch::equal(mixture.share, torch::tensor({0.75F, 1.0F, 0.0F})));
}

TEST(Mix, OfCutmixPutsARectangleOfThePartnerIntoAnImage) {
  const torch::Tensor image = torch::arange(2 * 8 * 8).reshape({2, 8, 8}).to(torch::kFloat32);
  const torch::Tensor images = torch::stack({image, -image});
  const RowPair pairs[] = {{.partner = 1, .share = 0.75, .down = 0.5, .across = 0.5},
                           {.partner = 0, .share = 1, .down = 0.5, .across = 0.5}};
  const Mixture mixture =
      Mix({.type = AugmentType::kCutmix}, pairs, {{"input", images}}, torch::tensor({3, 4}));
  torch::Tensor expected = images.clone();
  using torch::indexing::Slice;
  expected.index_put_({0, Slice(), Slice(2, 6), Slice(2, 6)},
                      -image.index({Slice(), Slice(2, 6), Slice(2, 6)}));
  EXPECT_TRUE(torch::equal(mixture.inputs.at("input"), expected));
  EXPECT_TRUE(torch::equal(mixture.share, torch::tensor({0.75F, 1.0F})));
  // Images of one channel may lack the dimension.
  const Mixture flat = Mix({.type = AugmentType::kCutmix}, pairs, {{"input", images.select(1, 0)}},
                           torch::tensor({3, 4}));
  EXPECT_TRUE(torch::equal(flat.inputs.at("input"), expected.select(1, 0)));
}

TrainingSetup Mixing(std::optional<Augment> augment, double lr = 0.5) {
  return {.model = models::Logistic{.outputs = 3},
          .training = {.epochs = 3,
                       .batch_size = 8,
                       .optimizer = models::Sgd{.lr = lr},
                       .seed = 7,
                       .augment = augment}};
}

MemorySource::Options Samples() { return {.samples = 50, .batch_size = 8, .epochs = 3}; }

std::string WeightsOf(const TrainingSetup& setup, MemorySource::Options options = Samples()) {
  TrainingLoop loop(setup);
  MemorySource source(std::move(options));
  EXPECT_THAT(loop.Run(source, Nothing), IsOk());
  return loop.Weights().value_or("");
}

TEST(Mixing, GivesTheSameWeightsEachTimeAndOthersThanWithout) {
  const std::string mixed = WeightsOf(Mixing(Augment{.alpha = 0.4}));
  EXPECT_EQ(WeightsOf(Mixing(Augment{.alpha = 0.4})), mixed);
  EXPECT_NE(WeightsOf(Mixing(std::nullopt)), mixed);
  EXPECT_EQ(WeightsOf(Mixing(Augment{.probability = 0})), WeightsOf(Mixing(std::nullopt)));
  TrainingSetup later = Mixing(Augment{.alpha = 0.4});
  later.trigger = 1;
  later.parent_weights = WeightsOf(Mixing(std::nullopt, /*lr=*/0));
  TrainingSetup first = later;
  first.trigger = 0;
  EXPECT_NE(WeightsOf(later), WeightsOf(first));
}

TEST(Mixing, IsTheSameAfterARestart) {
  const TrainingSetup setup = Mixing(Augment{.alpha = 0.4});
  TrainingLoop whole(setup);
  MemorySource all(Samples());
  std::string checkpoint;
  ASSERT_THAT(whole.Run(all,
                        [&](TrainingLoop& loop) {
                          if (loop.counters().num_steps == 10) checkpoint = *loop.Checkpoint();
                          return absl::OkStatus();
                        }),
              IsOk());
  TrainingLoop resumed(setup);
  ASSERT_THAT(resumed.Restore(checkpoint), IsOk());
  MemorySource::Options rest = Samples();
  rest.first_batch = 10;
  MemorySource source(rest);
  ASSERT_THAT(resumed.Run(source, Nothing), IsOk());
  EXPECT_EQ(resumed.Weights().value_or("resumed"), whole.Weights().value_or("whole"));
}

TEST(Mixing, OfTargetsIsThatOfRealNumbers) {
  // For a squared error, two targets and a share have the gradients of one target between them.
  const torch::Tensor output = torch::tensor({{1.0F}, {2.0F}}).requires_grad_();
  const torch::Tensor first = torch::tensor({3.0F, 5.0F});
  const torch::Tensor second = torch::tensor({7.0F, 4.0F});
  const torch::Tensor share = torch::tensor({0.25F, 0.5F});
  const models::LossSpec loss = models::Mse{};
  (share * models::SampleLosses(loss, output, first) +
   (1 - share) * models::SampleLosses(loss, output, second))
      .sum()
      .backward();
  const torch::Tensor gradient = output.grad().clone();
  output.mutable_grad().zero_();
  models::SampleLosses(loss, output, share * first + (1 - share) * second).sum().backward();
  EXPECT_TRUE(torch::allclose(gradient, output.grad()));
}

TEST(Mixing, BlamesOnlyTheSampleThatSpoilsALoss) {
  const TrainingSetup setup = Mixing(Augment{.alpha = 0.4});
  TrainingLoop loop(setup);
  MemorySource::Options options = Samples();
  options.epochs = 1;
  options.value = [](int64_t ordinal) { return ordinal == 20 ? 1e30F : 0.0F; };
  MemorySource source(options);
  ASSERT_THAT(loop.Run(source, Nothing), IsOk());
  EXPECT_EQ(loop.counters().num_skipped, 1);
  EXPECT_EQ(loop.counters().num_not_finite, 0);
}

TEST(Mixing, LeavesHeldOutSamplesAlone) {
  const auto held_out_loss = [](std::optional<Augment> augment) {
    TrainingSetup setup = Mixing(augment, /*lr=*/0);
    setup.training.early_stopping = models::EarlyStopping{};
    setup.held_out = []() -> absl::StatusOr<std::unique_ptr<loader::BatchSource>> {
      return std::make_unique<MemorySource>(MemorySource::Options{
          .samples = 20, .first_ordinal = 1000, .batch_size = 8, .epochs = 1});
    };
    TrainingLoop loop(setup);
    MemorySource source(Samples());
    EXPECT_THAT(loop.Run(source, Nothing), IsOk());
    return loop.loss_curve().Points().back().validation_loss;
  };
  const std::optional<double> loss = held_out_loss(std::nullopt);
  ASSERT_TRUE(loss.has_value());
  EXPECT_EQ(held_out_loss(Augment{}), loss);
}

}  // namespace
}  // namespace tidemill::trainer_server

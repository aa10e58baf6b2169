// What a recipe asks for beside an optimiser: accumulation, clipping, schedules, budgets, early
// stopping and precision.
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "models/spec/networks.h"
#include "models/training/losses/bce_with_logits.h"
#include "models/training/optimizers/adagrad.h"
#include "models/training/optimizers/adam.h"
#include "models/training/optimizers/sgd.h"
#include "models/training/schedules/constant.h"
#include "models/training/schedules/plateau.h"
#include "models/training/schedules/warmup.h"
#include "trainer_server/testing/between_batches.h"
#include "trainer_server/testing/memory_source.h"
#include "trainer_server/testing/trained.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {
namespace {

using testing::Distance;
using ::testing::HasSubstr;
using testing::MemorySource;
using testing::Nothing;
using testing::Parse;
using testing::Train;
using testing::Trained;

// One linear layer without anything random, so that steps can be computed by hand.
TrainingSetup Linear(models::TrainingSpec training, int64_t outputs = 3) {
  training.seed = 7;
  return {.model = models::Logistic{.outputs = outputs}, .training = std::move(training)};
}

// The weights before any step.
Trained Untrained(TrainingSetup setup) {
  setup.training = {.batch_size = 50, .optimizer = models::Sgd{.lr = 0}, .seed = 7};
  if (setup.model->NumOutputs() == 1) setup.training.loss = models::BceWithLogits{};
  return Train(setup, {.num_classes = setup.model->NumOutputs() == 1 ? 2 : 3});
}

using models::WeightedLoss;

TEST(Accumulation, OfSmallBatchesEqualsBigOnes) {
  for (const auto& [weighted, divisor] :
       {std::pair(false, WeightedLoss::kUnbiased), std::pair(true, WeightedLoss::kUnbiased),
        std::pair(true, WeightedLoss::kSelfNormalised)}) {
    const auto train = [&](int64_t batch_size, int64_t accumulate) {
      return Train(Linear({.epochs = 2,
                           .batch_size = batch_size,
                           .accumulate = accumulate,
                           .optimizer = models::Sgd{.lr = 0.5, .momentum = 0.9},
                           .weighted_loss = divisor}),
                   {.weighted = weighted});
    };
    const Trained small = train(4, 2);
    const Trained big = train(8, 1);
    EXPECT_EQ(small.counters.num_steps, 14) << "6 whole groups and a rest in each epoch";
    EXPECT_EQ(big.counters.num_steps, 14);
    EXPECT_LT(Distance(small, big), 1e-5);
    EXPECT_GT(Distance(small, train(4, 1)), 1e-2);
  }
}

// The weights of the source are 1, 2, 3, 4 in turn: 123 in all for 50 samples.
TEST(WeightedLosses, AreDividedByTheNumberOfSamplesOrByTheirWeights) {
  const auto train = [](WeightedLoss divisor, double lr) {
    return Train(
        Linear({.batch_size = 50, .optimizer = models::Sgd{.lr = lr}, .weighted_loss = divisor}),
        {.weighted = true});
  };
  const Trained unbiased = train(WeightedLoss::kUnbiased, 0.1);
  const Trained normalised = train(WeightedLoss::kSelfNormalised, 0.1 * 123 / 50);
  EXPECT_LT(Distance(unbiased, normalised), 1e-6);
  EXPECT_GT(Distance(unbiased, train(WeightedLoss::kSelfNormalised, 0.1)), 1e-3);
  EXPECT_NEAR(unbiased.counters.last_epoch_loss, normalised.counters.last_epoch_loss * 123 / 50,
              1e-5);
}

TEST(WeightedLosses, OfSamplesHeldOutAreDividedAlike) {
  const auto loss = [](WeightedLoss divisor) {
    TrainingSetup setup = Linear({.batch_size = 50,
                                  .optimizer = models::Sgd{.lr = 0},
                                  .early_stopping = models::EarlyStopping{},
                                  .weighted_loss = divisor});
    setup.held_out = [] {
      return std::make_unique<MemorySource>(
          MemorySource::Options{.samples = 40, .epochs = 1, .weighted = true});
    };
    return Train(setup, {.weighted = true}).curve.back().validation_loss.value_or(0);
  };
  // 40 samples weigh 100.
  EXPECT_NEAR(loss(WeightedLoss::kUnbiased), loss(WeightedLoss::kSelfNormalised) * 2.5, 1e-5);
}

TEST(GradientClipping, BoundsTheLengthOfAStep) {
  const auto step = [&](std::optional<models::GradientClipping> clipping) {
    const TrainingSetup setup = Linear(
        {.batch_size = 50, .optimizer = models::Sgd{.lr = 1}, .gradient_clipping = clipping});
    return Distance(Train(setup, {}), Untrained(setup));
  };
  const double free = step(std::nullopt);
  ASSERT_GT(free, 0.02);
  EXPECT_NEAR(step(models::GradientClipping{.norm = 0.01}), 0.01, 1e-6);
  EXPECT_NEAR(step(models::GradientClipping{.norm = 2 * free}), free, 1e-6);
  // 18 weights and 3 biases, nearly all of whose gradients are greater.
  const double cut = step(models::GradientClipping{.value = 1e-4});
  EXPECT_LE(cut, 1e-4 * std::sqrt(21) * 1.001);
  EXPECT_GT(cut, 1e-4 * std::sqrt(12));
}

TEST(Schedules, ScaleTheLearningRateOfEachStep) {
  const auto train = [](double lr, const models::ScheduleSpec& schedule) {
    return Train(
        Linear({.batch_size = 50, .optimizer = models::Sgd{.lr = lr}, .schedule = schedule}), {});
  };
  EXPECT_LT(Distance(train(1, models::Warmup{{.steps = 4}}), train(0.25, models::Constant{})),
            1e-6);
  EXPECT_GT(Distance(train(1, models::Warmup{{.steps = 4}}), train(1, models::Constant{})), 1e-3);
}

TEST(Schedules, SpanTheStepsOfTheWholeTraining) {
  const MemorySource source({.samples = 50, .batch_size = 8});
  EXPECT_EQ(NumSteps({.epochs = 2, .batch_size = 8}, {}, source), 14);
  EXPECT_EQ(NumSteps({.epochs = 2, .batch_size = 8, .accumulate = 3}, {}, source), 6);
  // An epoch of 3 steps, then two batches that make one.
  EXPECT_EQ(
      NumSteps({.epochs = 2, .max_samples = config::Count{60}, .batch_size = 8, .accumulate = 3},
               {}, source),
      4);
  EXPECT_EQ(NumSteps({.max_samples = config::Count{1000}, .batch_size = 8}, {}, source), 7);
}

TEST(Schedules, OfAnOptimizerActOnItsParametersOnly) {
  const auto train = [](std::optional<models::ScheduleSpec> of_bias) {
    return Train(Linear({.batch_size = 50,
                         .optimizers = {{"*.bias", models::Sgd{.lr = 1}, std::move(of_bias)},
                                        {"*", models::Sgd{.lr = 1}}},
                         .schedule = models::Warmup{{.steps = 4}}}),
                 {});
  };
  const Trained same = train(std::nullopt);
  const Trained own = train(models::Constant{});
  EXPECT_TRUE(torch::equal(own.weights.at("output.weight"), same.weights.at("output.weight")));
  EXPECT_FALSE(torch::equal(own.weights.at("output.bias"), same.weights.at("output.bias")));
}

TEST(Schedules, APlateauLowersTheRateWhenTheLossNoLongerFalls) {
  const models::Plateau plateau = {.factor = 0.5, .patience = 2, .cooldown = 1, .least = 0.2};
  const std::vector<models::ModuleOptimizer> optimizers = {{.schedule = plateau},
                                                           {.schedule = models::Constant{}}};
  PlateauStates states(2);
  std::vector<double> factors;
  for (const double loss : {1.0, 0.5, 0.6, 0.5, 0.7, 0.8, 0.9, 0.4, 0.4, 0.4, 0.4, 0.4}) {
    NoteLoss(optimizers, loss + 0.1, 3, states);
    NoteLoss(optimizers, loss - 0.1, 3, states);
    LookAfterEpoch(optimizers, states);
    const std::vector<double> both = LearningRateFactors(optimizers, states, 5, 10);
    factors.push_back(both[0]);
    EXPECT_EQ(both[1], 1);
  }
  // Two looks without a lower loss, and one after each fall that does not count.
  EXPECT_THAT(factors,
              ::testing::ElementsAre(1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2, 0.2, 0.2));
}

TEST(Schedules, APlateauLooksAfterEachEpochOrANumberOfSteps) {
  const auto train = [](const models::ScheduleSpec& schedule) {
    return Train(Linear({.epochs = 4,
                         .batch_size = 50,
                         .optimizer = models::Sgd{.lr = 0.1},
                         .schedule = schedule}),
                 {});
  };
  // No loss is lower than the first by so much.
  const models::Plateau never = {.factor = 0, .patience = 2, .min_delta = 100};
  EXPECT_GT(Distance(train(never), train(models::Constant{})), 1e-4);
  models::Plateau often = never;
  often.every = 1;
  EXPECT_LT(Distance(train(often), train(never)), 1e-9) << "an epoch is one step";
}

TEST(Average, OfTheWeightsBecomesTheModel) {
  const auto train = [](std::optional<models::Average> average, int64_t epochs) {
    return Train(Linear({.epochs = epochs,
                         .batch_size = 50,
                         .optimizer = models::Sgd{.lr = 0.5},
                         .average = average}),
                 {.epochs = epochs});
  };
  // After each of the steps, one an epoch.
  const auto after = [&](int64_t steps) {
    return train(std::nullopt, steps).weights.at("output.weight");
  };
  const torch::Tensor plain =
      train(models::Average{.decay = 0.75, .rise = false}, 3).weights.at("output.weight");
  EXPECT_TRUE(torch::allclose(plain, after(1) * 0.5625 + after(2) * 0.1875 + after(3) * 0.25));
  // Step 2 keeps 3 / 12, step 3 keeps 4 / 13.
  const torch::Tensor rising = train(models::Average{}, 3).weights.at("output.weight");
  EXPECT_TRUE(torch::allclose(
      rising, (after(1) * 3 / 12 + after(2) * 9 / 12) * 4 / 13 + after(3) * 9 / 13));
}

// The stored model is the one that was measured.
TEST(Average, IsWhatHeldOutSamplesMeasure) {
  const auto held_out = []() -> absl::StatusOr<std::unique_ptr<loader::BatchSource>> {
    return std::make_unique<MemorySource>(
        MemorySource::Options{.samples = 40, .first_ordinal = 500, .epochs = 1});
  };
  TrainingSetup setup = Linear({.epochs = 3,
                                .batch_size = 8,
                                .optimizer = models::Sgd{.lr = 0.5},
                                .average = models::Average{.decay = 0.9},
                                .early_stopping = models::EarlyStopping{.restore_best = false}});
  setup.held_out = held_out;
  TrainingLoop loop(setup);
  MemorySource source({.epochs = 3});
  ASSERT_TRUE(loop.Run(source, Nothing).ok());
  const double measured = loop.loss_curve().Points().back().validation_loss.value_or(0);

  setup.parent_weights = loop.Weights().value();
  setup.training.epochs = 1;
  setup.training.optimizer = models::Sgd{.lr = 0};
  setup.training.average.reset();
  TrainingLoop check(setup);
  MemorySource once({.epochs = 1});
  ASSERT_TRUE(check.Run(once, Nothing).ok());
  EXPECT_NEAR(check.stopping().best, measured, 1e-6);
}

TEST(Budget, EndsATrainingInMidEpochWithALastStep) {
  const Trained trained = Train(
      Linear({.epochs = 5, .max_samples = config::Count{60}, .batch_size = 8, .accumulate = 4}),
      {});
  EXPECT_EQ(trained.counters.samples, 66) << "an epoch of 50 and two batches";
  EXPECT_EQ(trained.counters.num_steps, 3);
  EXPECT_EQ(trained.curve.back().num_samples, 66);
}

TEST(Optimizers, ActOnTheirOwnParametersOnly) {
  const TrainingSetup setup =
      Linear({.batch_size = 50,
              .optimizers = {{"*.bias", models::Sgd{.lr = 0}}, {"*", models::Sgd{.lr = 1}}}});
  const Trained trained = Train(setup, {});
  const Trained before = Untrained(setup);
  EXPECT_TRUE(torch::equal(trained.weights.at("output.bias"), before.weights.at("output.bias")));
  EXPECT_FALSE(
      torch::equal(trained.weights.at("output.weight"), before.weights.at("output.weight")));
}

TEST(Optimizers, APatternThatNothingHasIsNamed) {
  TrainingLoop loop(Linear(
      {.batch_size = 8, .optimizers = {{"embeding*", models::Adagrad{}}, {"*", models::Adam{}}}}));
  MemorySource source({});
  const absl::Status status = loop.Run(source, Nothing);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'embeding*'"));
}

// Random inputs and labels: there is nothing to learn but by heart.
TEST(EarlyStopping, EndsWithTheWeightsThatWereBestOnSamplesHeldOut) {
  const auto held_out = []() -> absl::StatusOr<std::unique_ptr<loader::BatchSource>> {
    return std::make_unique<MemorySource>(
        MemorySource::Options{.samples = 40, .first_ordinal = 500, .epochs = 1});
  };
  TrainingSetup setup = {.model = models::Mlp{.hidden = {32}, .outputs = 3},
                         .training = {.epochs = 300,
                                      .batch_size = 8,
                                      .optimizer = models::Adam{.lr = 0.03},
                                      .early_stopping = models::EarlyStopping{.patience = 5}},
                         .held_out = held_out};
  TrainingLoop loop(setup);
  MemorySource source({.epochs = 300});
  ASSERT_TRUE(loop.Run(source, Nothing).ok());
  EXPECT_TRUE(loop.stopping().stopped);
  EXPECT_LT(loop.counters().batches, 300 * 7);
  const auto curve = loop.loss_curve().Points();
  ASSERT_TRUE(curve.back().validation_loss.has_value());
  EXPECT_GT(*curve.back().validation_loss, loop.stopping().best);
  EXPECT_LT(curve.back().loss, curve.front().loss) << "it did learn by heart";

  // The held-out loss of the weights that came out is the best that was seen.
  setup.parent_weights = loop.Weights().value();
  setup.training.epochs = 1;
  setup.training.optimizer = models::Sgd{.lr = 0};
  TrainingLoop check(setup);
  MemorySource once({.epochs = 1});
  ASSERT_TRUE(check.Run(once, Nothing).ok());
  EXPECT_NEAR(check.stopping().best, loop.stopping().best, 1e-6);
}

TEST(Precision, Bfloat16LearnsWhatFloat32DoesWithinItsPrecision) {
  const auto train = [](models::Precision precision) {
    return Train(Linear({.epochs = 20, .batch_size = 8, .precision = precision}), {});
  };
  const Trained in_16 = train(models::Precision::kBfloat16);
  const Trained in_32 = train(models::Precision::kFloat32);
  EXPECT_NEAR(in_16.counters.loss(), in_32.counters.loss(), 0.02);
  EXPECT_GT(Distance(in_16, in_32), 0);
  EXPECT_EQ(in_16.weights.at("output.weight").scalar_type(), torch::kFloat32);
}

TEST(Precision, Float16LearnsWhatFloat32DoesWithinItsPrecision) {
  const auto train = [](models::Precision precision) {
    return Train(Linear({.epochs = 20, .batch_size = 8, .precision = precision}), {});
  };
  const Trained in_16 = train(models::Precision::kFloat16);
  const Trained in_32 = train(models::Precision::kFloat32);
  EXPECT_NEAR(in_16.counters.loss(), in_32.counters.loss(), 0.005);
  EXPECT_EQ(in_16.counters.num_steps, in_32.counters.num_steps);
  EXPECT_GT(Distance(in_16, in_32), 0);
  EXPECT_EQ(in_16.weights.at("output.weight").scalar_type(), torch::kFloat32);
}

// Losses are multiplied by 65,536 at first: gradients of so large inputs overflow.
TEST(Precision, Float16LeavesOutStepsWhoseGradientsOverflow) {
  TrainingSetup setup =
      Linear({.epochs = 20, .batch_size = 8, .precision = models::Precision::kFloat16});
  TrainingLoop loop(setup);
  MemorySource source({.epochs = 20, .value = [](int64_t ordinal) {
                         return std::optional<float>(ordinal % 2 == 0 ? 20.0F : -20.0F);
                       }});
  const absl::Status status = loop.Run(source, Nothing);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_LT(loop.counters().num_steps, loop.counters().batches);
  EXPECT_GT(loop.counters().num_steps, loop.counters().batches / 2);
  EXPECT_EQ(loop.counters().num_skipped, 0) << "no sample is to blame";
}

// The weights of one training, for another that starts from them.
std::shared_ptr<const std::vector<std::string>> ModelFilesOf(const TrainingSetup& setup) {
  TrainingLoop loop(setup);
  MemorySource source({.epochs = 3});
  EXPECT_TRUE(loop.Run(source, Nothing).ok());
  return std::make_shared<const std::vector<std::string>>(1, loop.Weights().value());
}

TrainingSetup Starting(const models::StartFrom& start_from, std::vector<std::string> frozen) {
  return {.model = models::Mlp{.hidden = {16}, .outputs = 3},
          .training = {.epochs = 3,
                       .batch_size = 8,
                       .optimizer = models::Adam{.lr = 0.02},
                       .start_from = start_from,
                       .frozen = std::move(frozen)}};
}

TEST(StartFrom, BeginsWithWeightsAndLeavesFrozenOnesUnchanged) {
  TrainingSetup setup = Starting({.file = "w"}, {});
  setup.training.start_from.reset();
  const auto weights = ModelFilesOf(setup);
  setup = Starting({.file = "w", .layers = {{.modules = "hidden*"}}}, {"hidden*"});
  setup.start_weights = weights;
  TrainingLoop loop(setup);
  MemorySource source({.epochs = 3});
  ASSERT_TRUE(loop.Run(source, Nothing).ok());
  EXPECT_THAT(loop.start_note(),
              HasSubstr("2 of 4 arrays of the network were taken; 2 keep their"));
  const auto before = Parse(weights->front());
  const auto after = Parse(loop.Weights().value());
  EXPECT_TRUE(torch::equal(after.at("hidden1.weight"), before.at("hidden1.weight")));
  EXPECT_FALSE(torch::equal(after.at("output.weight"), before.at("output.weight")));

  // What follows a model of the run does not start again.
  setup.parent_weights = loop.Weights().value();
  setup.training.optimizer = models::Sgd{.lr = 0};
  TrainingLoop child(setup);
  MemorySource more({.epochs = 3});
  ASSERT_TRUE(child.Run(more, Nothing).ok());
  EXPECT_EQ(child.start_note(), "");
  EXPECT_TRUE(
      torch::equal(Parse(child.Weights().value()).at("output.weight"), after.at("output.weight")));
}

TEST(StartFrom, IsReportedByATrainingThatResumesToo) {
  TrainingSetup setup = Starting({.file = "w"}, {});
  setup.training.start_from.reset();
  const auto weights = ModelFilesOf(setup);
  setup = Starting({.file = "w"}, {"output.bias"});
  setup.start_weights = weights;
  const auto run = [](TrainingLoop& loop, int64_t first) {
    MemorySource source({.epochs = 3, .first_batch = first});
    std::string checkpoint;
    const absl::Status status = loop.Run(source, [&](TrainingLoop& at) {
      if (at.counters().batches == 9) checkpoint = at.Checkpoint().value();
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return checkpoint;
  };
  TrainingLoop whole(setup);
  const std::string checkpoint = run(whole, 0);
  TrainingLoop resumed(setup);
  ASSERT_TRUE(resumed.Restore(checkpoint).ok());
  run(resumed, 9);
  EXPECT_EQ(resumed.Weights().value(), whole.Weights().value());
  EXPECT_EQ(resumed.start_note(), whole.start_note());
  EXPECT_THAT(resumed.start_note(), HasSubstr("4 of 4 arrays"));
}

TEST(Losses, LogitsTellTwoClassesApart) {
  // The input is shifted by the class.
  const auto value = [](int64_t ordinal) {
    return std::optional<float>(ordinal % 2 == 0 ? -1 : 1);
  };
  const Trained trained = Train(Linear({.epochs = 30,
                                        .batch_size = 10,
                                        .optimizer = models::Adam{.lr = 0.05},
                                        .loss = models::BceWithLogits{}},
                                       1),
                                {.num_classes = 2, .value = value});
  EXPECT_LT(trained.counters.loss(), 0.1);
}

TEST(TrainingLoop, IdsBeyondTheVocabularyAreNamed) {
  const TrainingSetup setup = {.model = models::EmbeddingBag{.vocabulary = 5, .outputs = 2},
                               .training = {}};
  TrainingLoop loop(setup);
  class OneBatch final : public loader::BatchSource {
   public:
    int64_t num_samples() const override { return 2; }
    int64_t num_batches() const override { return 1; }
    absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override {
      loader::TrainingBatch batch;
      batch.rows = batch::Batch(2);
      const std::vector<int64_t> ids = {1, 2, 0, 4, 5, 0};
      const std::vector<int64_t> target = {0, 1};
      EXPECT_TRUE(batch.rows.Set(batch::MakeColumn<int64_t>("input", ids, {3})).ok());
      EXPECT_TRUE(batch.rows.Set(batch::MakeColumn<int64_t>("target", target)).ok());
      return std::optional<loader::TrainingBatch>(std::move(batch));
    }
  } source;
  const absl::Status status = loop.Run(source, Nothing);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the id 5, but the model has ids from 0 to 4"));
}

}  // namespace
}  // namespace tidemill::trainer_server

#include "trainer_server/training/training_loop.h"

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "models/spec/mlp.h"
#include "models/spec/resnet18.h"
#include "models/training/losses/cross_entropy.h"
#include "models/training/optimizers/optimizers.h"
#include "models/training/schedules/cycles.h"
#include "models/training/schedules/decays.h"
#include "models/training/schedules/plateau.h"
#include "models/training/schedules/warmup.h"
#include "trainer_server/testing/between_batches.h"
#include "trainer_server/testing/memory_source.h"
#include "trainer_server/training/devices/training_device.h"

namespace tidemill::trainer_server {
namespace {

using testing::MemorySource;
using testing::Nothing;

TrainingSetup MakeSetup(models::OptimizerSpec optimizer = models::Adam{.lr = 0.01}) {
  TrainingSetup setup;
  setup.model = models::Mlp{.hidden = {16}, .outputs = 3, .dropout = 0.3};
  setup.training = {.batch_size = 8, .optimizer = std::move(optimizer), .seed = 42};
  setup.trigger = 5;
  return setup;
}

std::string DigestOfWeights(const TrainingLoop& loop) {
  const auto weights = loop.Weights();
  EXPECT_TRUE(weights.ok()) << weights.status().ToString();
  return Sha256(weights.value_or(""));
}

absl::StatusOr<TrainingCounters> CountersOf(const TrainingSetup& setup,
                                            MemorySource::Options options) {
  TrainingLoop loop(setup);
  MemorySource source(std::move(options));
  RETURN_IF_ERROR(loop.Run(source, Nothing));
  RETURN_IF_ERROR(loop.Weights().status());
  return loop.counters();
}

// What a checkpoint has to hold is decided by how the training goes.
class Resume : public ::testing::TestWithParam<models::TrainingSpec> {};

TEST_P(Resume, AtAnyBatchGivesTheBitsOfAnUninterruptedTraining) {
  TrainingSetup setup = MakeSetup();
  setup.training = GetParam();
  setup.training.batch_size = 8;
  setup.training.seed = 42;
  setup.training.max_bad_fraction = 0.2;
  if (setup.training.early_stopping) {
    setup.held_out = [] {
      return std::make_unique<MemorySource>(
          MemorySource::Options{.samples = 30, .first_ordinal = 1000, .epochs = 1});
    };
  }
  MakeDeterministic(1);
  const MemorySource::Options options = {
      .epochs = setup.training.epochs, .weighted = true, .value = [](int64_t ordinal) {
        if (ordinal == 20) return std::optional<float>(1e30f);
        return ordinal % 11 == 4 ? std::nullopt : std::optional<float>(0.0f);
      }};
  std::vector<std::string> checkpoints;
  TrainingLoop whole(setup);
  MemorySource source(options);
  const absl::Status status = whole.Run(source, [&](TrainingLoop& loop) {
    if (loop.can_checkpoint()) checkpoints.push_back(loop.Checkpoint().value());
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_GE(checkpoints.size(), 5u);
  for (const std::string& checkpoint : checkpoints) {
    torch::manual_seed(99);  // What the process did before must not matter.
    TrainingLoop resumed(setup);
    const absl::Status restored = resumed.Restore(checkpoint);
    ASSERT_TRUE(restored.ok()) << restored.ToString();
    MemorySource::Options rest = options;
    rest.first_batch = resumed.counters().batches;
    MemorySource rest_source(rest);
    ASSERT_TRUE(resumed.Run(rest_source, Nothing).ok());
    EXPECT_EQ(DigestOfWeights(resumed), DigestOfWeights(whole));
    EXPECT_EQ(resumed.counters().samples, whole.counters().samples);
    EXPECT_EQ(resumed.counters().num_skipped, whole.counters().num_skipped);
    EXPECT_EQ(resumed.counters().num_bad(), whole.counters().num_bad());
    EXPECT_EQ(resumed.counters().last_epoch_loss, whole.counters().last_epoch_loss);
    EXPECT_EQ(resumed.loss_curve().state(), whole.loss_curve().state());
    EXPECT_EQ(resumed.stopping(), whole.stopping());
  }
}

INSTANTIATE_TEST_SUITE_P(
    TrainingLoop, Resume,
    ::testing::Values(
        models::TrainingSpec{.epochs = 2, .optimizer = models::Adam{}},
        models::TrainingSpec{.epochs = 2, .optimizer = models::Sgd{.lr = 0.1}},
        models::TrainingSpec{.epochs = 2,
                             .optimizer = models::Sgd{.lr = 0.1, .momentum = 0.9},
                             .schedule = models::Cosine{}},
        models::TrainingSpec{
            .epochs = 3,
            .accumulate = 3,
            .optimizer = models::AdamW{.lr = 0.01},
            .schedule = models::Warmup{{.share = 0.3}, 0, models::Polynomial{{}, 2}},
            .gradient_clipping = models::GradientClipping{.norm = 0.1}},
        models::TrainingSpec{
            .epochs = 3,
            .max_samples = config::Count{120},
            .optimizers = {{"hidden*", models::Adagrad{.lr = 0.1, .lr_decay = 0.01}},
                           {"*", models::Sgd{.lr = 0.1, .momentum = 0.9, .nesterov = true}}},
            .schedule = models::StepDecay{{.steps = 4}, 0.5},
            .gradient_clipping = models::GradientClipping{.value = 0.01}},
        models::TrainingSpec{.epochs = 2, .precision = models::Precision::kBfloat16},
        models::TrainingSpec{.epochs = 2, .precision = models::Precision::kFloat16},
        models::TrainingSpec{
            .epochs = 40,
            .optimizer = models::Adam{.lr = 0.03},
            .loss = models::CrossEntropy{.label_smoothing = 0.1, .class_weights = {1, 2, 3}},
            .early_stopping = models::EarlyStopping{.patience = 3}},
        models::TrainingSpec{
            .epochs = 6,
            .optimizers = {{"hidden*", models::NAdam{.lr = 0.02}, models::Plateau{.every = 3}},
                           {"*", models::Lion{.lr = 0.01}}},
            .schedule = models::OneCycle{},
            .average = models::Average{.decay = 0.9}},
        models::TrainingSpec{
            .epochs = 12,
            .optimizer = models::RmsProp{.lr = 0.01, .momentum = 0.5, .centered = true},
            .schedule = models::Plateau{.loss = models::WatchedLoss::kHeldOut, .patience = 1},
            .average = models::Average{.decay = 0.9},
            .early_stopping = models::EarlyStopping{.patience = 5}},
        models::TrainingSpec{.epochs = 3,
                             .optimizer = models::Lamb{.lr = 0.05},
                             .schedule = models::CosineRestarts{{.steps = 3}, 2}},
        models::TrainingSpec{.epochs = 6,
                             .optimizer = models::AdamW{.lr = 0.02},
                             .average = models::Average{.decay = 0.9},
                             .early_stopping = models::EarlyStopping{.patience = 5},
                             .frozen = {"hidden1.bias"},
                             .lora = models::Lora{.rank = 2, .layers = {"hidden*", "output"}}}));

TEST(TrainingLoop, SeedAndTriggerDecideTheInitialisation) {
  const auto digest = [](int64_t seed, int64_t trigger) {
    TrainingSetup setup = MakeSetup();
    setup.training.seed = seed;
    setup.trigger = trigger;
    TrainingLoop loop(setup);
    MemorySource source({});
    EXPECT_TRUE(loop.Run(source, Nothing).ok());
    return DigestOfWeights(loop);
  };
  EXPECT_EQ(digest(1, 1), digest(1, 1));
  EXPECT_NE(digest(1, 1), digest(2, 1));
  EXPECT_NE(digest(1, 1), digest(1, 2));
}

TEST(TrainingLoop, AWarmStartContinuesFromTheParent) {
  TrainingLoop parent(MakeSetup());
  MemorySource source({.epochs = 20});
  ASSERT_TRUE(parent.Run(source, Nothing).ok());
  TrainingSetup setup = MakeSetup(models::Sgd{.lr = 0});
  setup.parent_weights = parent.Weights().value();
  TrainingLoop child(setup);
  MemorySource more({.epochs = 1});
  ASSERT_TRUE(child.Run(more, Nothing).ok());
  EXPECT_EQ(DigestOfWeights(child), DigestOfWeights(parent));
}

TEST(TrainingLoop, AnEmptySetLeavesTheParentUnchangedAndIsAnErrorWithoutOne) {
  EXPECT_EQ(CountersOf(MakeSetup(), {.samples = 0}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  TrainingLoop parent(MakeSetup());
  MemorySource source({});
  ASSERT_TRUE(parent.Run(source, Nothing).ok());
  TrainingSetup setup = MakeSetup();
  setup.parent_weights = parent.Weights().value();
  TrainingLoop child(setup);
  MemorySource none({.samples = 0});
  ASSERT_TRUE(child.Run(none, Nothing).ok());
  EXPECT_EQ(DigestOfWeights(child), DigestOfWeights(parent));
}

TEST(TrainingLoop, AHoleIsCountedAndTooManyEndTheTraining) {
  const auto one =
      CountersOf(MakeSetup(), {.epochs = 1, .value = [](int64_t ordinal) {
                                 return ordinal == 7 ? std::nullopt : std::optional<float>(0.0f);
                               }});
  ASSERT_TRUE(one.ok()) << one.status().ToString();
  EXPECT_EQ(one->num_skipped, 1);
  EXPECT_EQ(one->samples, 50);
  const auto many = CountersOf(MakeSetup(), {.value = [](int64_t ordinal) {
                                 return ordinal < 10 ? std::nullopt : std::optional<float>(0.0f);
                               }});
  EXPECT_EQ(many.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(many.status().message()), ::testing::HasSubstr("10 of 50 samples"));
  EXPECT_THAT(std::string(many.status().message()), ::testing::HasSubstr("sample 7: unreadable"));
}

// A value that no other sample has, for ordinal 20.
MemorySource::Options WithOne(std::optional<float> value) {
  return {.epochs = 3, .value = [value](int64_t ordinal) {
            return ordinal == 20 ? value : std::optional<float>(0.0f);
          }};
}

class OneBadValue : public ::testing::TestWithParam<float> {};

TEST_P(OneBadValue, CostsItsSampleAndLeavesTheWeightsAsIfItWereNotThere) {
  std::vector<std::string> told;
  TrainingSetup setup = MakeSetup(models::Sgd{.lr = 0.1});
  // Nothing drawn: then a second pass through what is left changes nothing.
  setup.model = models::Mlp{.hidden = {16}, .outputs = 3};
  TrainingLoop without(setup);
  MemorySource hole(WithOne(std::nullopt));
  ASSERT_TRUE(without.Run(hole, Nothing).ok());
  auto bad = std::make_unique<loader::BadSamples>(
      [&](std::span<const int64_t> keys, std::span<const std::string> reasons) {
        for (size_t i = 0; i < keys.size(); ++i) {
          told.push_back(std::to_string(keys[i]) + " " + reasons[i]);
        }
        return absl::OkStatus();
      });
  setup.bad = bad.get();
  {
    TrainingLoop loop(setup);
    MemorySource source(WithOne(GetParam()));
    const absl::Status status = loop.Run(source, Nothing);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(loop.counters().num_skipped, 3) << "once an epoch";
    EXPECT_EQ(loop.counters().num_bad(), 1) << "it is one sample";
    EXPECT_EQ(loop.counters().num_not_finite, 0);
    EXPECT_EQ(loop.counters().num_steps, 21) << "its batch is trained on";
    EXPECT_EQ(loop.counters().last_epoch_loss, without.counters().last_epoch_loss);
    EXPECT_EQ(DigestOfWeights(loop), DigestOfWeights(without));
  }
  bad.reset();  // Tells what it was told.
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told.front(), ::testing::AllOf(::testing::StartsWith("20 its loss is "),
                                             ::testing::HasSubstr("clip the feature")));
}

TEST_P(OneBadValue, LeavesTheMeansOfNormalisedBatchesAsIfItWereNotThere) {
  TrainingSetup setup = MakeSetup(models::Sgd{.lr = 0.1});
  setup.model = models::Resnet18{.outputs = 3, .width = 8};
  const auto digest = [&](std::optional<float> value) {
    MemorySource::Options options = WithOne(value);
    options.samples = 48;
    options.shape = {1, 16, 16};
    MemorySource source(options);
    TrainingLoop loop(setup);
    const absl::Status status = loop.Run(source, Nothing);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(loop.counters().num_skipped, 3) << "once an epoch";
    return DigestOfWeights(loop);
  };
  EXPECT_EQ(digest(GetParam()), digest(std::nullopt));
}

INSTANTIATE_TEST_SUITE_P(TrainingLoop, OneBadValue,
                         ::testing::Values(1e30f, -1e30f, 3e38f,
                                           std::numeric_limits<float>::quiet_NaN()));

TEST(TrainingLoop, SamplesThatAloneMakeTheLossUselessCountAgainstTheLimit) {
  TrainingSetup setup = MakeSetup();
  setup.training.max_bad_samples = config::Count{1};
  EXPECT_TRUE(CountersOf(setup, WithOne(std::numeric_limits<float>::quiet_NaN())).ok())
      << "it is one sample in all epochs";
  setup.training.max_bad_samples = config::Count{0};
  const auto counters = CountersOf(setup, WithOne(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(counters.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(counters.status().message()),
              ::testing::AllOf(::testing::HasSubstr("max_bad_samples"),
                               ::testing::HasSubstr("sample 20: its loss is")));
}

TEST(TrainingLoop, WeightsThatHaveRunAwayEndATrainingThatSeesOneSampleAtATime) {
  TrainingSetup setup = MakeSetup(models::Sgd{.lr = 1e38});
  setup.training.batch_size = 1;
  TrainingLoop loop(setup);
  MemorySource source({.batch_size = 1});
  const absl::Status status = loop.Run(source, Nothing);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("10 batches in a row"));
  EXPECT_LT(loop.counters().num_skipped, 10) << "not all that there are";
}

TEST(TrainingLoop, OneHeldOutSampleDoesNotSpoilTheMeasureOfTheOthers) {
  TrainingSetup setup = MakeSetup();
  setup.training.epochs = 2;
  setup.training.early_stopping = models::EarlyStopping{.patience = 3};
  setup.held_out = [] {
    return std::make_unique<MemorySource>(MemorySource::Options{
        .samples = 30, .first_ordinal = 1000, .epochs = 1, .value = [](int64_t ordinal) {
          return ordinal == 1003 ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
        }});
  };
  TrainingLoop loop(setup);
  MemorySource source({});
  ASSERT_TRUE(loop.Run(source, Nothing).ok());
  EXPECT_LT(loop.stopping().best, 10) << "a number";
}

TEST(TrainingLoop, ALossThatStaysInfiniteEndsTheTraining) {
  const auto counters = CountersOf(MakeSetup(), {.samples = 200, .value = [](int64_t) {
                                                   return std::numeric_limits<float>::infinity();
                                                 }});
  EXPECT_EQ(counters.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(counters.status().message()),
              ::testing::AllOf(::testing::HasSubstr("no single sample"),
                               ::testing::HasSubstr("learning rate")));
}

TEST(TrainingLoop, ATargetBeyondTheOutputsIsNamed) {
  TrainingSetup setup = MakeSetup();
  setup.model = models::Mlp{.hidden = {}, .outputs = 2};
  const auto counters = CountersOf(setup, {});
  EXPECT_EQ(counters.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(counters.status().message()), ::testing::HasSubstr("class 2"));
}

TEST(TrainingLoop, ADamagedCheckpointIsRefused) {
  TrainingLoop loop(MakeSetup());
  MemorySource source({});
  ASSERT_TRUE(loop.Run(source, Nothing).ok());
  const std::string checkpoint = loop.Checkpoint().value();
  TrainingLoop other(MakeSetup());
  EXPECT_FALSE(other.Restore(checkpoint.substr(0, checkpoint.size() / 2)).ok());
  TrainingSetup more_threads = MakeSetup();
  more_threads.training.num_threads = 3;
  EXPECT_EQ(TrainingLoop(more_threads).Restore(checkpoint).code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tidemill::trainer_server

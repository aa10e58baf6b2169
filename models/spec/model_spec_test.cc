#include "models/spec/model_spec.h"

#include <string>

#include "gtest/gtest.h"

#include "models/spec/networks.h"
#include "models/training/losses/real_losses.h"
#include "models/training/optimizers/optimizers.h"
#include "models/training/orders/block_order.h"
#include "models/training/orders/full_order.h"
#include "models/training/orders/no_order.h"
#include "models/training/orders/reservoir_order.h"
#include "models/training/training_spec.h"

namespace tidemill::models {
namespace {

TEST(ModelSpec, ReadsBothNetworks) {
  const auto mlp = config::Read<ModelSpec>("{type: mlp, hidden: [64, 64], outputs: 2}", "m");
  ASSERT_TRUE(mlp.ok()) << mlp.status().ToString();
  EXPECT_EQ(mlp->As<Mlp>()->hidden, (std::vector<int64_t>{64, 64}));
  const auto convnet = config::Read<ModelSpec>("{type: convnet, outputs: 10}", "m");
  ASSERT_TRUE(convnet.ok()) << convnet.status().ToString();
  EXPECT_EQ(convnet->As<Convnet>()->channels, (std::vector<int64_t>{32, 64}));
  EXPECT_EQ((*convnet)->NumOutputs(), 10);
}

TEST(ModelSpec, ReadsEachNetworkAndPrintsItBack) {
  for (const char* const text :
       {"{type: logistic, outputs: 2}", "{type: resnet18, stem: small, outputs: 10}",
        "{type: embedding_bag, vocabulary: 1000, pooling: sum, sparse: true, outputs: 3}",
        "{type: text_transformer, vocabulary: 1000, width: 32, heads: 8, outputs: 3}",
        "{type: dlrm, categories: [10, 20], bottom: [8], top: [8], outputs: 1}",
        "{type: factorization_machine, categories: [10, 20], outputs: 1}",
        "{type: gru, hidden: 8, residual: true, outputs: 1}", "{type: tcn, outputs: 1}",
        "{type: torchscript, file: network.pt, outputs: 1}"}) {
    const auto spec = config::Read<ModelSpec>(text, "m");
    ASSERT_TRUE(spec.ok()) << spec.status().ToString();
    EXPECT_EQ(*config::Read<ModelSpec>(config::Print(*spec), "again"), *spec);
    EXPECT_EQ(std::string(text).find("{type: " + std::string(spec->type())), 0u);
  }
}

TEST(ModelSpec, RefusesWhatNoNetworkCanBe) {
  for (const char* const text :
       {"{type: mlp, hidden: [64]}", "{type: mlp, hidden: [0], outputs: 2}",
        "{type: mlp, outputs: 2, dropout: 1}", "{type: convnet, channels: [], outputs: 2}",
        "{type: resnet, outputs: 2}", "{type: embedding_bag, outputs: 2}",
        "{type: text_transformer, vocabulary: 9, width: 10, heads: 4, outputs: 2}",
        "{type: dlrm, categories: [], outputs: 1}", "{type: torchscript, outputs: 1}"}) {
    EXPECT_EQ(config::Read<ModelSpec>(text, "m").status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(TrainingSpec, ReadsWhatAPipelineSaysAndPrintsItBack) {
  const auto spec = config::Read<TrainingSpec>(
      "device: auto\nepochs: 2\nbatch_size: 128\noptimizer: {type: adam, lr: 1e-3}\n"
      "loss: cross_entropy\nwarm_start: true\nseed: 42\n",
      "t");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->epochs, 2);
  EXPECT_EQ(spec->optimizer.As<Adam>()->lr, 1e-3);
  EXPECT_EQ(spec->seed, 42);
  const auto again = config::Read<TrainingSpec>(config::Print(*spec), "again");
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, *spec);
}

TEST(TrainingSpec, ReadsARecipeAndPrintsItBack) {
  const auto spec = config::Read<TrainingSpec>(
      "max_samples: 1e6\naccumulate: 4\nprecision: bfloat16\n"
      "optimizers: [{modules: \"embedding*\", optimizer: {type: adagrad, lr: 0.1}},\n"
      "             {modules: \"*\", optimizer: adamw}]\n"
      "schedule: {type: warmup, steps: 100, then: {type: cosine, final: 0.1}}\n"
      "loss: {type: huber, delta: 2}\ngradient_clipping: {norm: 1.0}\n"
      "early_stopping: {held_out: 0.2, patience: 3}\n",
      "t");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->max_samples->value, 1'000'000);
  EXPECT_EQ(spec->Optimizers().size(), 2u);
  EXPECT_EQ(spec->Optimizers()[1].optimizer, OptimizerSpec(AdamW{}));
  EXPECT_EQ(spec->loss, LossSpec(Huber{.delta = 2}));
  EXPECT_EQ(spec->loss.type(), "huber");
  EXPECT_EQ(*config::Read<TrainingSpec>(config::Print(*spec), "again"), *spec);
}

TEST(TrainingSpec, RefusesWhatContradictsItself) {
  for (const char* const text :
       {"optimizers: [{modules: \"a*\", optimizer: adam}]",
        "optimizer: {type: sgd, lr: 1}\noptimizers: [{modules: \"*\", optimizer: adam}]",
        "optimizer: {type: sgd, lr: 1, nesterov: true}", "gradient_clipping: {}", "max_samples: 0",
        "accumulate: 0", "early_stopping: {patience: 0}",
        "loss: {type: cross_entropy, label_smoothing: 2}"}) {
    EXPECT_EQ(config::Read<TrainingSpec>(text, "t").status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(TrainingSpec, TakesItsOrderFromShuffleUnlessItSaysMore) {
  const auto order_of = [](const char* text) {
    const auto spec = config::Read<TrainingSpec>(text, "training");
    EXPECT_TRUE(spec.ok()) << spec.status().ToString();
    return spec->EffectiveOrder();
  };
  EXPECT_EQ(order_of("{}"), OrderSpec(FullOrder{}));
  EXPECT_EQ(order_of("shuffle: false"), OrderSpec(NoOrder{}));
  EXPECT_EQ(order_of("order: none"), OrderSpec(NoOrder{}));
  EXPECT_EQ(order_of("order: {type: reservoir, samples: 1e4}"),
            OrderSpec(ReservoirOrder{.samples = {10'000}}));
  EXPECT_EQ(order_of("order: {type: block, samples: 512, window: 8192}"),
            OrderSpec(BlockOrder{.samples = {512}, .window = {8192}}));
  for (const char* text : {"{shuffle: false, order: full}", "order: {type: block, samples: 0}",
                           "order: {type: reservoir, samples: 1e9}"}) {
    EXPECT_FALSE(config::Read<TrainingSpec>(text, "training").ok()) << text;
  }
}

TEST(TrainingSpec, FitsOnceWithWarmStartAndEachTimeWithout) {
  EXPECT_EQ(TrainingSpec{.warm_start = true}.EffectiveFit(), Fit::kFirstTrigger);
  EXPECT_EQ(TrainingSpec{.warm_start = false}.EffectiveFit(), Fit::kEachTrigger);
  EXPECT_EQ((TrainingSpec{.warm_start = true, .fit = Fit::kEachTrigger}.EffectiveFit()),
            Fit::kEachTrigger);
}

TEST(TrainingSpec, ThreadsFollowFromTheSpecsAlone) {
  EXPECT_EQ(NumThreads({}, Mlp{.hidden = {64, 256}}), 1);
  EXPECT_EQ(NumThreads({}, Mlp{.hidden = {64, 512}}), 2);
  EXPECT_EQ(NumThreads({}, Convnet{}), 2);
  EXPECT_EQ(NumThreads({}, Logistic{}), 1);
  EXPECT_EQ(NumThreads({.num_threads = 4}, Convnet{}), 4);
}

}  // namespace
}  // namespace tidemill::models

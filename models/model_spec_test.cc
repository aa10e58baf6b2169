#include "models/model_spec.h"

#include "gtest/gtest.h"

#include "models/training_spec.h"

namespace tidemill::models {
namespace {

TEST(ModelSpec, ReadsBothNetworks) {
  const auto mlp = config::Read<ModelSpec>("{type: mlp, hidden: [64, 64], outputs: 2}", "m");
  ASSERT_TRUE(mlp.ok()) << mlp.status().ToString();
  EXPECT_EQ(std::get<Mlp>(*mlp).hidden, (std::vector<int64_t>{64, 64}));
  const auto convnet = config::Read<ModelSpec>("{type: convnet, outputs: 10}", "m");
  ASSERT_TRUE(convnet.ok()) << convnet.status().ToString();
  EXPECT_EQ(std::get<Convnet>(*convnet).channels, (std::vector<int64_t>{32, 64}));
  EXPECT_EQ(NumOutputs(*convnet), 10);
}

TEST(ModelSpec, RefusesWhatNoNetworkCanBe) {
  for (const char* const text :
       {"{type: mlp, hidden: [64]}", "{type: mlp, hidden: [0], outputs: 2}",
        "{type: mlp, outputs: 2, dropout: 1}", "{type: convnet, channels: [], outputs: 2}",
        "{type: resnet, outputs: 2}"}) {
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
  EXPECT_EQ(std::get<Adam>(spec->optimizer).lr, 1e-3);
  EXPECT_EQ(spec->seed, 42);
  const auto again = config::Read<TrainingSpec>(config::Print(*spec), "again");
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, *spec);
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
  EXPECT_EQ(NumThreads({.num_threads = 4}, Convnet{}), 4);
}

}  // namespace
}  // namespace tidemill::models

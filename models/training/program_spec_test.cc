#include "models/training/program_spec.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/config.h"
#include "models/training/training_spec.h"

namespace tidemill::models {
namespace {

using ::testing::HasSubstr;

std::string ProblemsOf(const std::string& yaml) {
  return std::string(config::Read<TrainingSpec>(yaml, "training.yaml").status().message());
}

TEST(ProgramSpec, HasDefaults) {
  const auto spec = config::Read<TrainingSpec>("{type: program, run: 'a.py:main'}", "training");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_TRUE(spec->RunsProgram());
  EXPECT_EQ(spec->EffectiveDevice(), config::kCpuDevice);
  const plugin::PluginUse use = spec->program.Use();
  EXPECT_EQ(use.use, "a.py:main");
  EXPECT_EQ(use.timeout.micros, 600'000'000);
  EXPECT_EQ(use.memory.bytes, int64_t{4} << 30);
}

TEST(ProgramSpec, IsPrintedOnlyWhereThereIsOne) {
  EXPECT_THAT(config::Print(TrainingSpec()), ::testing::Not(HasSubstr("run:")));
  EXPECT_THAT(config::Print(TrainingSpec()), ::testing::Not(HasSubstr("type: network")));
  const auto spec = config::Read<TrainingSpec>(
      "{type: program, run: 'a.py:main', requirements: ['torch>=2'], with: {rate: 0.1}, "
      "files: [a.csv], timeout: 1h, memory: 1GiB}",
      "training");
  ASSERT_TRUE(spec.ok()) << spec.status();
  const auto again = config::Read<TrainingSpec>(config::Print(*spec), "training");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, *spec);
}

TEST(ProgramSpec, RefusesWhatOnlyTidemillsLoopFollows) {
  for (const char* const key :
       {"optimizer: {type: sgd, lr: 0.1}", "schedule: cosine", "loss: mse", "accumulate: 2",
        "ranks: 2", "precision: bfloat16", "standardize_target: true",
        "gradient_clipping: {norm: 1}", "early_stopping: {patience: 3}", "augment: {type: mixup}",
        "average: {type: ema}", "weighted_loss: self_normalised",
        "downsampling: {type: loss, fraction: 0.5}", "device: cuda", "reuse: true"}) {
    EXPECT_THAT(ProblemsOf(fmt::format("{{type: program, run: 'a.py:main', {}}}", key)),
                HasSubstr("program"))
        << key;
  }
}

TEST(ProgramSpec, NamesAFunctionInAPythonFile) {
  EXPECT_THAT(ProblemsOf("{type: program}"), HasSubstr("run: train.py:main"));
  for (const char* const run : {"train.py", "train.so:main", ":main", "train.py:", "main"}) {
    EXPECT_THAT(ProblemsOf(fmt::format("{{type: program, run: '{}'}}", run)),
                HasSubstr("does not name a Python file and a function in it"))
        << run;
  }
  EXPECT_THAT(ProblemsOf("{type: program, run: 'a.py:main', files: [b, b]}"),
              HasSubstr("names b again"));
  EXPECT_THAT(ProblemsOf("{run: 'a.py:main'}"), HasSubstr("write type: program"));
}

}  // namespace
}  // namespace tidemill::models

#include "cli/sweep/best_pipeline.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::tidemill::testing::IsOk;

constexpr char kPipeline[] = R"(# What it is for.
version: 1
name: "weather"
datasets: {d: {path: ., files: "*.csv", format: {type: csv}, event_time: {column: t}, label: {column: y}}}
preprocess: {dataset: d, graph: [parse_csv: {columns: [a]}, stack: {columns: all, into: input}, label: {into: target}]}
model: {type: mlp, hidden: [32, 32], outputs: 2}   # small
trigger: {type: amount, samples: 50}
training:
  epochs: 20        # enough
  optimizer: {type: adam, lr: 5e-3}
  loss: cross_entropy
)";

absl::StatusOr<PipelineWithValues> Best(const std::vector<config::Override>& values) {
  return WithValues({.name = "p.yaml", .text = kPipeline}, values, "best of a sweep");
}

TEST(BestPipeline, KeepsCommentsWhereItReplacesAValue) {
  const auto best =
      Best({{"training.epochs", "7"}, {"training.optimizer.lr", "1e-2"}, {"name", "other"}});
  ASSERT_THAT(best, IsOk());
  EXPECT_TRUE(best->keeps_text);
  EXPECT_THAT(best->text, HasSubstr("# best of a sweep\n# What it is for."));
  EXPECT_THAT(best->text, HasSubstr("epochs: 7        # enough"));
  EXPECT_THAT(best->text, HasSubstr("{type: adam, lr: 1e-2}"));
  EXPECT_THAT(best->text, HasSubstr("name: other\n"));
}

TEST(BestPipeline, AddsAKeyThatIsMissing) {
  const auto best = Best({{"training.seed", "7"}, {"training.optimizer.weight_decay", "0.1"}});
  ASSERT_THAT(best, IsOk());
  EXPECT_TRUE(best->keeps_text);
  EXPECT_THAT(best->text, HasSubstr("  seed: 7\n  epochs: 20"));
  EXPECT_THAT(best->text, HasSubstr("{weight_decay: 0.1, type: adam"));
}

TEST(BestPipeline, PrintsThePipelineWhereItsTextHasNoPlaceForAValue) {
  const auto best = Best({{"model.hidden", "[64]"}});
  ASSERT_THAT(best, IsOk());
  EXPECT_FALSE(best->keeps_text);
  EXPECT_THAT(best->text, Not(HasSubstr("What it is for")));
  EXPECT_THAT(best->text, HasSubstr("64"));
}

TEST(BestPipeline, RefusesValuesThatMakeNoPipeline) {
  EXPECT_FALSE(Best({{"training.epochs", "many"}}).ok());
}

}  // namespace
}  // namespace tidemill::cli

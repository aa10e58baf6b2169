#include "cli/bench/pipeline_variant.h"

#include <gtest/gtest.h>

namespace tidemill::cli {
namespace {

constexpr std::string_view kPipeline = R"yaml(version: 1
name: small
trigger:
  type: amount      # some
  samples: 10

# What follows.
evaluation:
- dataset: small
  measures: [accuracy]
training:
  seed: 42
  epochs: 2
)yaml";

TEST(WithSection, ReplacesAllLinesOfASection) {
  const std::string text = WithSection(kPipeline, "trigger", "never");
  EXPECT_NE(text.find("name: small\ntrigger: never\n\nevaluation:\n- dataset"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("samples"), std::string::npos) << text;
}

TEST(WithSection, ReplacesAListThatIsNotIndented) {
  const std::string text = WithSection(kPipeline, "evaluation", "[]");
  EXPECT_NE(text.find("evaluation: []\n\ntraining:"), std::string::npos) << text;
}

TEST(WithSection, AddsWhatIsNotThere) {
  EXPECT_TRUE(
      WithSection(kPipeline, "retention", "{models: 1}").ends_with("retention: {models: 1}\n"));
}

TEST(WithSeed, ReplacesTheOnlySeed) {
  const auto text = WithSeed(kPipeline, 7);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("  seed: 7\n  epochs: 2"), std::string::npos);
  EXPECT_FALSE(WithSeed("name: x\n", 7).ok());
  EXPECT_FALSE(WithSeed("a:\n  seed: 1\nb:\n  seed: 2\n", 7).ok());
}

TEST(WithSeed, PrefersTheWord) {
  EXPECT_EQ(*WithSeed("training: {seed: SEED, epochs: 1}", 7), "training: {seed: 7, epochs: 1}");
}

TEST(WithWord, LeavesLongerWords) {
  EXPECT_EQ(WithWord("{at: AT, most: ATOM, AT}", "AT", "0.5"), "{at: 0.5, most: ATOM, 0.5}");
}

}  // namespace
}  // namespace tidemill::cli

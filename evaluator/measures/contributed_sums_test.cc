#include "evaluator/measures/contributed_sums.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

const std::vector<int64_t> kClasses = {0, 1, 2};

Outcomes Of(std::span<const Contributions> contributions, std::span<const uint8_t> weights = {}) {
  return {.predicted_classes = kClasses,
          .true_classes = kClasses,
          .contributions = contributions,
          .weights = weights};
}

TEST(ContributedSums, HeedWeights) {
  const std::vector<double> numbers = {1, 2, 4};
  const Contributions cost[] = {{.measure = "cost", .numbers = numbers}};
  const std::vector<uint8_t> weights = {3, 0, 1}, none = {0, 0, 0};
  const auto mean = NewContributedAccumulator({.measure = "cost"});
  mean->Add(Of(cost, weights));
  EXPECT_THAT(mean->Value(), Optional(7.0 / 4));
  const auto series = NewContributedSeries({.measure = "cost"});
  series->Add(Of(cost, weights));
  series->Add(Of(cost, none));
  series->Add(Of(cost));
  EXPECT_THAT(series->Values(), ElementsAre(Optional(7.0 / 4), std::nullopt, Optional(7.0 / 3)));
}

TEST(ContributedSums, OfABlockThatWasNotAnsweredAreNone) {
  const std::vector<double> numbers = {1, 2, 4};
  const Contributions cost[] = {{.measure = "cost", .numbers = numbers}};
  const auto mean = NewContributedAccumulator({.measure = "cost"});
  mean->Add(Of(cost));
  mean->Add(Of({}));
  EXPECT_EQ(mean->Value(), std::nullopt);
  EXPECT_EQ(NewContributedAccumulator({.measure = "cost"})->Value(), std::nullopt);
}

TEST(ContributedSums, AreKeptAsText) {
  const std::vector<double> numbers = {0.1, 1, 0.2, 1, 1e-300, 1};
  const Contributions pairs[] = {{.measure = "pairs", .numbers = numbers, .width = 2}};
  ContributedSums sums;
  sums.Add(Of(pairs), "pairs");
  const auto read = ContributedSums::FromJson(sums.ToJson());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sums(), sums.sums());
  EXPECT_TRUE(AreContributedSums(sums.ToJson()));
  for (const char* text : {"", "{}", "[1,2,3,4]", "{\"samples\": 1, \"sums\": []}",
                           "{\"samples\": 1, \"sums\": [\"a\"]}"}) {
    EXPECT_FALSE(AreContributedSums(text)) << text;
  }
}

// Without the plug-in the sums have no value.
TEST(ContributedSums, AreNotCombinedWithoutTheirPlugin) {
  const std::vector<double> numbers = {1, 2, 3, 4, 5, 6};
  const Contributions pairs[] = {{.measure = "pairs", .numbers = numbers, .width = 2}};
  const auto combined = NewContributedAccumulator({.measure = "pairs", .is_mean = false});
  combined->Add(Of(pairs));
  EXPECT_EQ(combined->Value(), std::nullopt);
  EXPECT_EQ(combined->Sums(), R"({"samples":3,"sums":[9.0,12.0]})");
}

}  // namespace
}  // namespace tidemill::evaluator

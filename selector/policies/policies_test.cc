#include "selector/policies/policies.h"

#include <algorithm>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::selector {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr RandomKey kRandom{.seed = 7, .purpose = "selection", .trigger = 3};

std::vector<int64_t> Keys(int64_t count) {
  std::vector<int64_t> keys(static_cast<size_t>(count));
  std::iota(keys.begin(), keys.end(), int64_t{1} << 44);
  return keys;
}

Choice ChooseFrom(const SelectionSpec& spec, const std::vector<int64_t>& keys,
                  const RandomKey& random = kRandom) {
  return Choose(spec, {.keys = keys, .event_times = keys}, random);
}

TEST(NewDataPolicy, TakesEveryCandidateInOrder) {
  const Choice choice = ChooseFrom(NewData{}, Keys(4));
  EXPECT_THAT(choice.rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(choice.weights, IsEmpty());
}

TEST(NewDataPolicy, KeepsTheLatestOfMoreThanItsLimit) {
  EXPECT_THAT(ChooseFrom(NewData{.limit = 2}, Keys(5)).rows, ElementsAre(3, 4));
  EXPECT_THAT(ChooseFrom(NewData{.limit = 9}, Keys(2)).rows, ElementsAre(0, 1));
}

TEST(UniformPolicy, DrawsExactlyTheRoundedShareInTheOrderOfTheStream) {
  const Choice choice = ChooseFrom(Uniform{.fraction = 0.25}, Keys(1002));
  EXPECT_THAT(choice.rows, SizeIs(251));  // 250.5 rounds away from zero.
  EXPECT_TRUE(std::is_sorted(choice.rows.begin(), choice.rows.end()));
  EXPECT_EQ(std::adjacent_find(choice.rows.begin(), choice.rows.end()), choice.rows.end());
}

TEST(UniformPolicy, DrawsAtLeastOneOfFewAndNoneOfNone) {
  EXPECT_THAT(ChooseFrom(Uniform{.fraction = 0.001}, Keys(3)).rows, SizeIs(1));
  EXPECT_THAT(ChooseFrom(Uniform{.fraction = 0.5}, Keys(0)).rows, IsEmpty());
  EXPECT_THAT(ChooseFrom(Uniform{.samples = 10}, Keys(3)).rows, ElementsAre(0, 1, 2));
}

TEST(UniformPolicy, DrawsTheSameKeysWhateverTheirRowsAre) {
  std::vector<int64_t> keys = Keys(1000);
  const auto chosen_keys = [](const std::vector<int64_t>& from) {
    std::vector<int64_t> chosen;
    for (const int64_t row : ChooseFrom(Uniform{.samples = 100}, from).rows) {
      chosen.push_back(from[static_cast<size_t>(row)]);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  };
  const std::vector<int64_t> in_order = chosen_keys(keys);
  std::reverse(keys.begin(), keys.end());
  EXPECT_EQ(chosen_keys(keys), in_order);
}

TEST(UniformPolicy, DrawsAnewForEachTriggerAndSeed) {
  const std::vector<int64_t> keys = Keys(1000);
  const SelectionSpec spec = Uniform{.samples = 100};
  const Choice first = ChooseFrom(spec, keys);
  EXPECT_EQ(ChooseFrom(spec, keys).rows, first.rows);
  EXPECT_NE(ChooseFrom(spec, keys, {.seed = 7, .purpose = "selection", .trigger = 4}).rows,
            first.rows);
  EXPECT_NE(ChooseFrom(spec, keys, {.seed = 8, .purpose = "selection", .trigger = 3}).rows,
            first.rows);
}

TEST(UniformPolicy, DrawsEveryPartOfTheStreamAlike) {
  // 10,000 of 100,000: each tenth of the stream expects 1,000 with a deviation of about 28.
  const Choice choice = ChooseFrom(Uniform{.fraction = 0.1}, Keys(100'000));
  std::vector<int64_t> counts(10);
  for (const int64_t row : choice.rows) ++counts[static_cast<size_t>(row / 10'000)];
  EXPECT_THAT(counts, Each(::testing::AllOf(::testing::Gt(850), ::testing::Lt(1150))));
}

TEST(UniformPolicy, WeighsByTheInverseOfTheProbability) {
  const Uniform spec{.samples = 25, .weights = Weighting::kInverseProbability};
  const Choice choice = ChooseFrom(spec, Keys(100));
  EXPECT_THAT(choice.weights, SizeIs(25));
  EXPECT_THAT(choice.weights, Each(4.0F));
  EXPECT_THAT(ChooseFrom(spec, Keys(25)).weights, IsEmpty());
}

TEST(SelectionSpec, DrawsFromHistoryOnlyWhenItSaysSo) {
  EXPECT_FALSE(DrawsFromHistory(NewData{}));
  EXPECT_FALSE(DrawsFromHistory(Uniform{.samples = 1}));
  EXPECT_TRUE(DrawsFromHistory(Uniform{.samples = 1, .over = Pool::kAll}));
}

}  // namespace
}  // namespace tidemill::selector

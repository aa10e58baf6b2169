#include "cli/sweep/halving.h"

#include <algorithm>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::nullopt_t kAll = std::nullopt;

TEST(Halving, DoublesTheEffortWhileItHalvesTheSettings) {
  EXPECT_THAT(RungsOf(12, 1, 8), ElementsAre(Rung{1, 12}, Rung{2, 6}, Rung{4, 3}, Rung{kAll, 1}));
  EXPECT_THAT(RungsOf(4, 3, 12), ElementsAre(Rung{3, 4}, Rung{6, 2}, Rung{kAll, 1}));
}

TEST(Halving, GivesTheWholeEffortToAllThatRemainWhenThereIsNoMore) {
  EXPECT_THAT(RungsOf(12, 1, 4), ElementsAre(Rung{1, 12}, Rung{2, 6}, Rung{kAll, 3}));
  EXPECT_THAT(RungsOf(12, 5, 4), ElementsAre(Rung{kAll, 12}));
}

TEST(Halving, HalvesUntilOneRemainsWhereTheWholeEffortIsUnknown) {
  EXPECT_THAT(RungsOf(5, 2, kAll), ElementsAre(Rung{2, 5}, Rung{4, 2}, Rung{kAll, 1}));
}

TEST(Halving, BeginsWithTheEffortThatLeavesOneSettingAtTheEnd) {
  EXPECT_EQ(FirstEffort(12, 8), 1);
  EXPECT_EQ(FirstEffort(12, 18), 2);
  EXPECT_EQ(FirstEffort(4, 100), 25);
  EXPECT_EQ(FirstEffort(200, 3), 1);
}

TEST(Halving, KeepsTheBestInOrderAndTheFirstOfEqualOnes) {
  const std::vector<Ranked> settings = {{0, 0.5}, {3, 0.9}, {4, 0.5}, {7, kAll}};
  EXPECT_THAT(Survivors(settings, /*lower_is_better=*/false, 2), ElementsAre(0, 3));
  EXPECT_THAT(Survivors(settings, /*lower_is_better=*/true, 2), ElementsAre(0, 4));
}

TEST(Halving, NeverKeepsASettingWithoutAValue) {
  EXPECT_THAT(Survivors(std::vector<Ranked>{{0, kAll}, {1, 0.1}}, false, 2), ElementsAre(1));
  EXPECT_THAT(Survivors(std::vector<Ranked>{{0, kAll}, {1, kAll}}, false, 1), IsEmpty());
}

TEST(Halving, HalvesTheSettingsAndDoublesTheEffortAtEveryRung) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const size_t num_settings = 1 + random() % 256;
    const auto most = static_cast<int64_t>(1 + random() % 1'000);
    const std::vector<Rung> rungs = RungsOf(num_settings, FirstEffort(num_settings, most), most);
    EXPECT_EQ(rungs.front().num_settings, num_settings);
    EXPECT_EQ(rungs.back().effort, kAll);
    for (size_t i = 0; i + 1 < rungs.size(); ++i) {
      EXPECT_LT(*rungs[i].effort, most);
      EXPECT_EQ(rungs[i + 1].num_settings, rungs[i].num_settings / 2);
      EXPECT_EQ(rungs[i + 1].effort.value_or(2 * *rungs[i].effort), 2 * *rungs[i].effort);
    }
  }
}

TEST(Halving, KeepsTheBestSettingThroughEveryRungWhereValuesDoNotChange) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Ranked> settings(2 + random() % 60);
    for (size_t i = 0; i < settings.size(); ++i) {
      settings[i] = {i, static_cast<double>(random() % 1'000)};
    }
    const bool lower = random() % 2 == 0;
    const size_t best = Rank(settings, lower).front().setting;
    std::vector<Ranked> left = settings;
    while (left.size() > 1) {
      const std::vector<size_t> kept = Survivors(left, lower, left.size() / 2);
      ASSERT_EQ(kept.size(), left.size() / 2);
      ASSERT_TRUE(std::ranges::is_sorted(kept));
      left.clear();
      for (const size_t setting : kept) left.push_back(settings[setting]);
    }
    EXPECT_EQ(left.front().setting, best);
  }
}

}  // namespace
}  // namespace tidemill::cli

#include <algorithm>
#include <map>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "selector/testing/choosing.h"

namespace tidemill::selector {
namespace {

using testing::ChooseFrom;
using testing::ChooseInManyWays;
using testing::Chosen;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kFirstKey;
using testing::kRandom;
using testing::MixedClasses;
using ::testing::Pair;
using ::testing::SizeIs;
using testing::Spec;

std::map<int64_t, int64_t> CountsOf(const Chosen& chosen, const testing::Stream& stream) {
  std::map<int64_t, int64_t> counts;
  for (const int64_t row : chosen.rows) ++counts[stream.labels[static_cast<size_t>(row)]];
  return counts;
}

std::map<int64_t, int64_t> Balance(const std::vector<int64_t>& classes, int64_t samples,
                                   const std::string& force = "none") {
  const testing::Stream stream = MixedClasses(classes);
  const auto spec = Spec(fmt::format("{{type: balanced, samples: {}, force: {}}}", samples, force));
  return CountsOf(ChooseFrom(spec, stream), stream);
}

// policies.vectors.json, presampling.water_filling.
TEST(BalancedPolicy, FillsClassesLikeWater) {
  EXPECT_THAT(Balance({10, 30, 50}, 30), ElementsAre(Pair(0, 10), Pair(1, 10), Pair(2, 10)));
  EXPECT_THAT(Balance({10, 30, 50}, 60), ElementsAre(Pair(0, 10), Pair(1, 25), Pair(2, 25)));
  EXPECT_THAT(Balance({10, 30, 50}, 90), ElementsAre(Pair(0, 10), Pair(1, 30), Pair(2, 50)));
  EXPECT_THAT(Balance({3, 3, 3}, 10), ElementsAre(Pair(0, 3), Pair(1, 3), Pair(2, 3)));
  EXPECT_THAT(Balance({5, 5, 5}, 12), ElementsAre(Pair(0, 4), Pair(1, 4), Pair(2, 4)));
  EXPECT_THAT(Balance({5, 6, 7}, 100), ElementsAre(Pair(0, 5), Pair(1, 6), Pair(2, 7)));
  EXPECT_THAT(Balance({5, 5, 100}, 20), ElementsAre(Pair(0, 5), Pair(1, 5), Pair(2, 10)));
}

TEST(BalancedPolicy, MeetsTheTargetExactlyWhenItIsForcedTo) {
  const auto counts = Balance({10, 30, 50}, 62, "size");
  EXPECT_EQ(counts.at(0), 10);
  EXPECT_EQ(counts.at(1) + counts.at(2), 52);
  EXPECT_EQ(counts.at(1), 26);
  const auto odd = Balance({10, 30, 50}, 61, "size");
  EXPECT_EQ(odd.at(1) + odd.at(2), 51);
  EXPECT_LE(std::abs(odd.at(1) - odd.at(2)), 1);
}

TEST(BalancedPolicy, TakesAsManyOfEachClassWhenItIsForcedTo) {
  EXPECT_THAT(Balance({10, 30, 50}, 60, "balance"),
              ElementsAre(Pair(0, 10), Pair(1, 10), Pair(2, 10)));
  EXPECT_THAT(Balance({10, 30, 50}, 12, "balance"),
              ElementsAre(Pair(0, 4), Pair(1, 4), Pair(2, 4)));
}

TEST(BalancedPolicy, GivesOneOfSomeClassesWhenThereAreMoreThanSamples) {
  const testing::Stream stream = MixedClasses({10, 10, 10, 10, 10});
  const Chosen chosen = ChooseFrom(Spec("{type: balanced, samples: 3}"), stream);
  EXPECT_THAT(chosen.rows, SizeIs(3));
  EXPECT_THAT(CountsOf(chosen, stream), Each(Pair(::testing::_, 1)));
  EXPECT_THAT(chosen.notes.remarks, ElementsAre(HasSubstr("5 groups")));
}

TEST(BalancedPolicy, TakesTheSmallestLotsOfEachClassInManyWays) {
  const testing::Stream stream = MixedClasses({200'000, 5000, 90'000, 1});
  for (const char* yaml : {"{type: balanced, samples: 20_000, weights: inverse_probability}",
                           "{type: balanced, fraction: 0.5}"}) {
    const Chosen chosen = ChooseInManyWays(Spec(yaml), stream);
    const auto counts = CountsOf(chosen, stream);
    for (const auto& [label, count] : counts) {
      std::vector<std::pair<uint64_t, int64_t>> lots;
      for (size_t i = 0; i < stream.keys.size(); ++i) {
        if (stream.labels[i] != label) continue;
        lots.emplace_back(RandomBits(kRandom, stream.keys[i]), static_cast<int64_t>(i));
      }
      std::sort(lots.begin(), lots.end());
      std::vector<int64_t> expected;
      for (int64_t i = 0; i < count; ++i) expected.push_back(lots[static_cast<size_t>(i)].second);
      std::sort(expected.begin(), expected.end());
      std::vector<int64_t> found;
      for (const int64_t row : chosen.rows) {
        if (stream.labels[static_cast<size_t>(row)] == label) found.push_back(row);
      }
      EXPECT_EQ(found, expected) << yaml << ", class " << label;
    }
  }
}

TEST(BalancedPolicy, ManyClassesFitIntoLittleMemory) {
  const testing::Stream stream = MixedClasses(std::vector<int64_t>(3000, 40));
  const Chosen chosen = ChooseInManyWays(Spec("{type: balanced, samples: 30_000}"), stream);
  EXPECT_THAT(chosen.rows, SizeIs(30'000));
  EXPECT_THAT(CountsOf(chosen, stream), Each(Pair(::testing::_, 10)));
}

TEST(BalancedPolicy, WeighsSoThatTheMeanOfAllCandidatesIsUnbiased) {
  const testing::Stream stream = MixedClasses({20, 60, 120});
  // The label itself: its mean over all is 1.5.
  double sum = 0;
  constexpr int kSeeds = 300;
  const auto spec = Spec("{type: balanced, samples: 45, weights: inverse_probability}");
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Chosen chosen =
        ChooseFrom(spec, stream, {.seed = seed, .purpose = "selection", .trigger = 1});
    ASSERT_THAT(chosen.weights, SizeIs(45));
    const double mean = std::accumulate(chosen.weights.begin(), chosen.weights.end(), 0.0) / 45;
    ASSERT_NEAR(mean, 1, 1e-5);
    for (size_t i = 0; i < 45; ++i) {
      const int64_t label = stream.labels[static_cast<size_t>(chosen.rows[i])];
      sum += chosen.weights[i] * static_cast<double>(label) / 45;
    }
  }
  // The same of every draw, since the quantity is the same within a class.
  EXPECT_NEAR(sum / kSeeds, 1.5, 1e-4);
}

TEST(BalancedPolicy, DrawsEverySampleOfAClassAlike) {
  const testing::Stream stream = MixedClasses({10, 40});
  std::vector<int> drawn(50);
  constexpr int kSeeds = 2000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Chosen chosen = ChooseFrom(Spec("{type: balanced, samples: 10}"), stream,
                                     {.seed = seed, .purpose = "selection", .trigger = 1});
    for (const int64_t row : chosen.rows) ++drawn[static_cast<size_t>(row)];
  }
  for (size_t i = 0; i < drawn.size(); ++i) {
    const double probability = stream.labels[i] == 0 ? 0.5 : 0.125;
    const double deviation = std::sqrt(kSeeds * probability * (1 - probability));
    EXPECT_NEAR(drawn[i], kSeeds * probability, 5 * deviation) << i;
  }
}

TEST(BalancedPolicy, BalancesTriggersByThePlaceOfSamples) {
  const testing::Stream stream = testing::StreamOf(100);
  // Samples 0 to 9, 10 to 49, 50 to 99; the cut at time 50 is before its key.
  const testing::Circumstances how{.ends = {{10, kFirstKey + 10}, {50, 0}}};
  const Chosen chosen = ChooseFrom(Spec("{type: balanced, by: trigger, samples: 30, over: all}"),
                                   stream, kRandom, how);
  std::vector<int64_t> counts(3);
  for (const int64_t row : chosen.rows) ++counts[row < 10 ? 0 : (row < 50 ? 1 : 2)];
  EXPECT_THAT(counts, ElementsAre(10, 10, 10));
}

TEST(BalancedPolicy, TakesSamplesWithoutAClassForAGroup) {
  testing::Stream stream = MixedClasses({50, 50});
  std::fill(stream.labels.begin(), stream.labels.begin() + 60, kNoClass);
  const Chosen chosen = ChooseFrom(Spec("{type: balanced, samples: 15}"), stream);
  EXPECT_EQ(CountsOf(chosen, stream).at(kNoClass), 5);
}

TEST(BalancedPolicy, TakesEverythingOfFewAndNothingOfNone) {
  const testing::Stream stream = MixedClasses({4, 5});
  const Chosen all =
      ChooseFrom(Spec("{type: balanced, samples: 9, weights: inverse_probability}"), stream);
  EXPECT_THAT(all.rows, SizeIs(9));
  EXPECT_THAT(all.weights, IsEmpty());
  EXPECT_THAT(ChooseFrom(Spec("{type: balanced, fraction: 0.5}"), {}).rows, IsEmpty());
  const testing::Stream one = MixedClasses({20});
  const Chosen half =
      ChooseFrom(Spec("{type: balanced, fraction: 0.5, weights: inverse_probability}"), one);
  EXPECT_THAT(half.rows, SizeIs(10));
  EXPECT_THAT(half.weights, Each(1.0F));
}

}  // namespace
}  // namespace tidemill::selector

// Policies that depend on what was chosen before: freshness, rounds, reservoirs.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "selector/columns/chosen_file.h"
#include "selector/policies/freshness.h"
#include "selector/policies/reservoir.h"
#include "selector/testing/choosing.h"

namespace tidemill::selector {
namespace {

using testing::ChooseFrom;
using testing::ChooseInManyWays;
using testing::Chosen;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kFirstKey;
using testing::kRandom;
using ::testing::SizeIs;
using testing::Spec;
using testing::StreamOf;

RandomKey OfTrigger(int64_t trigger, int64_t seed = 7) {
  return {.seed = seed, .purpose = "selection", .trigger = trigger};
}

// policies.vectors.json, presampling.freshness.
TEST(FreshnessPolicy, MixesAsLargeASetAsBothSharesAllow) {
  EXPECT_EQ(MixOf(100, 900, 0.5, {}), (Mix{100, 100}));
  EXPECT_EQ(MixOf(900, 100, 0.5, {}), (Mix{100, 100}));
  EXPECT_EQ(MixOf(100, 900, 0.1, {}), (Mix{100, 900}));
  EXPECT_EQ(MixOf(300, 100, 0.75, {}), (Mix{300, 100}));
  EXPECT_EQ(MixOf(10, 0, 0.5, {}), (Mix{10, 0}));
}

TEST(FreshnessPolicy, KeepsTheSharesWithinALimitAndFallsBackToTheRest) {
  EXPECT_EQ(MixOf(100, 900, 0.25, 40), (Mix{10, 30}));
  EXPECT_EQ(MixOf(1000, 0, 0.25, 40), (Mix{40, 0}));
  EXPECT_EQ(MixOf(0, 1000, 0.25, 40), (Mix{0, 40}));
  EXPECT_EQ(MixOf(0, 0, 0.25, 40), (Mix{0, 0}));
  EXPECT_EQ(MixOf(1, 1000, 0.5, {}), (Mix{1, 1}));
  EXPECT_EQ(MixOf(90, 210, 0.3, {}), (Mix{90, 210}));
}

TEST(FreshnessPolicy, DrawsFromWhatTheRunHasAndHasNotChosen) {
  const testing::Stream stream = StreamOf(300'000);
  ChosenKeys before;
  before.Add(std::span(stream.keys).first(100'000));
  const Chosen chosen = ChooseInManyWays(Spec("{type: freshness, fresh: 0.4, samples: 50_000}"),
                                         stream, kRandom, {.chosen_before = &before});
  ASSERT_THAT(chosen.rows, SizeIs(50'000));
  const auto num_used =
      std::ranges::count_if(chosen.rows, [](int64_t row) { return row < 100'000; });
  EXPECT_EQ(num_used, 30'000);
}

TEST(FreshnessPolicy, TakesEverythingAtTheFirstTrigger) {
  EXPECT_THAT(ChooseFrom(Spec("{type: freshness, fresh: 0.1}"), StreamOf(50)).rows, SizeIs(50));
  EXPECT_THAT(ChooseFrom(Spec("{type: freshness, fresh: 0.1}"), StreamOf(0)).rows, IsEmpty());
}

// A run of a draw in rounds, trigger by trigger.
class Rounds {
 public:
  Chosen Next(const SelectionSpec& spec, const testing::Stream& stream) {
    const Chosen chosen =
        ChooseFrom(spec, stream, OfTrigger(++trigger_), {.chosen_in_round = &so_far_.round});
    const ChosenKeys expected_round = chosen.notes.new_round ? *chosen.notes.new_round : [&] {
      ChosenKeys round = so_far_.round;
      round.Add(chosen.Keys());
      return round;
    }();
    so_far_.Add(chosen.Keys(), /*in_rounds=*/true);
    EXPECT_EQ(so_far_.round.Encode(), expected_round.Encode()) << "trigger " << trigger_;
    return chosen;
  }
  const ChosenSoFar& so_far() const { return so_far_; }

 private:
  int64_t trigger_ = 0;
  ChosenSoFar so_far_;
};

TEST(UniformPolicyInRounds, UsesEverySampleOnceBeforeAnyTwice) {
  const testing::Stream stream = StreamOf(100);
  const SelectionSpec spec = Spec("{type: uniform, samples: 30, over: all, reuse: false}");
  Rounds rounds;
  std::vector<int> uses(100);
  for (int trigger = 1; trigger <= 40; ++trigger) {
    const Chosen chosen = rounds.Next(spec, stream);
    ASSERT_THAT(chosen.rows, SizeIs(30));
    for (const int64_t row : chosen.rows) ++uses[static_cast<size_t>(row)];
    const auto [least, most] = std::minmax_element(uses.begin(), uses.end());
    EXPECT_LE(*most - *least, 1) << "after trigger " << trigger;
  }
  EXPECT_EQ(*std::min_element(uses.begin(), uses.end()), 12);
}

TEST(UniformPolicyInRounds, FinishesARoundBeforeItBeginsTheNext) {
  const testing::Stream stream = StreamOf(10);
  const SelectionSpec spec = Spec("{type: uniform, samples: 4, over: all, reuse: false}");
  Rounds rounds;
  std::set<int64_t> used;
  for (int trigger = 1; trigger <= 2; ++trigger) {
    const Chosen chosen = rounds.Next(spec, stream);
    EXPECT_THAT(chosen.notes.remarks, IsEmpty());
    used.insert(chosen.rows.begin(), chosen.rows.end());
  }
  ASSERT_THAT(used, SizeIs(8));
  const Chosen third = rounds.Next(spec, stream);
  EXPECT_THAT(third.notes.remarks, ElementsAre(HasSubstr("2 samples came from a new round")));
  std::set<int64_t> all = used;
  all.insert(third.rows.begin(), third.rows.end());
  EXPECT_THAT(all, SizeIs(10));
  EXPECT_EQ(rounds.so_far().round.size(), 2);
  EXPECT_EQ(rounds.so_far().ever.size(), 10);
}

TEST(UniformPolicyInRounds, PrefersNewSamplesAndTakesAllOfFew) {
  const SelectionSpec spec = Spec("{type: uniform, fraction: 1.0, over: all, reuse: false}");
  Rounds rounds;
  EXPECT_THAT(rounds.Next(spec, StreamOf(5)).rows, SizeIs(5));
  EXPECT_THAT(rounds.Next(spec, StreamOf(8)).rows, SizeIs(8));
  EXPECT_THAT(rounds.Next(spec, StreamOf(8)).rows, SizeIs(8));
  EXPECT_THAT(ChooseFrom(spec, StreamOf(0)).rows, IsEmpty());
}

TEST(UniformPolicyInRounds, ChoosesTheSameInManyWays) {
  const testing::Stream stream = StreamOf(300'000);
  ChosenKeys round;
  round.Add(std::span(stream.keys).subspan(100'000, 150'000));
  const Chosen chosen =
      ChooseInManyWays(Spec("{type: uniform, samples: 200_000, over: all, reuse: false}"), stream,
                       kRandom, {.chosen_in_round = &round});
  EXPECT_THAT(chosen.rows, SizeIs(200'000));
  EXPECT_EQ(chosen.notes.new_round->size(), 50'000);
}

TEST(ReservoirPolicy, ChangesOnlyByNewcomers) {
  const SelectionSpec spec = Spec("{type: reservoir, samples: 200}");
  const Chosen before = ChooseFrom(spec, StreamOf(2000), OfTrigger(1));
  const Chosen after = ChooseFrom(spec, StreamOf(2200), OfTrigger(2));
  ASSERT_THAT(after.rows, SizeIs(200));
  const std::set<int64_t> had(before.rows.begin(), before.rows.end());
  int64_t num_new = 0;
  for (const int64_t row : after.rows) {
    if (row < 2000) {
      EXPECT_TRUE(had.contains(row)) << row;
    } else {
      ++num_new;
    }
  }
  // 200 / 11 are expected, with a deviation of about 4.
  EXPECT_GT(num_new, 2);
  EXPECT_LT(num_new, 40);
}

TEST(ReservoirPolicy, HoldsEverySampleAlike) {
  std::vector<int> held(10);
  constexpr int kSeeds = 3000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Chosen chosen =
        ChooseFrom(Spec("{type: reservoir, samples: 3}"), StreamOf(10), OfTrigger(1, seed));
    for (const int64_t row : chosen.rows) ++held[static_cast<size_t>(row)];
  }
  for (const int count : held) EXPECT_NEAR(count, 900, 5 * std::sqrt(kSeeds * 0.3 * 0.7));
}

TEST(ReservoirPolicy, HoldsSamplesHalfAsOftenWithEachHalfLife) {
  std::vector<int> held(400);
  constexpr int kSeeds = 400;
  const SelectionSpec spec = Reservoir{.samples = 20, .half_life = Duration{100}};
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Chosen chosen = ChooseFrom(spec, StreamOf(400), OfTrigger(1, seed));
    ASSERT_THAT(chosen.rows, SizeIs(20));
    for (const int64_t row : chosen.rows) ++held[static_cast<size_t>(row)];
  }
  std::vector<double> by_age;
  for (size_t from = 0; from < 400; from += 100) {
    by_age.push_back(std::accumulate(held.begin() + static_cast<std::ptrdiff_t>(from),
                                     held.begin() + static_cast<std::ptrdiff_t>(from) + 100, 0.0));
  }
  for (size_t i = 0; i + 1 < by_age.size(); ++i) {
    EXPECT_NEAR(by_age[i + 1] / by_age[i], 2, 0.35) << "age " << i;
  }
}

TEST(ReservoirPolicy, WithAHalfLifeKeepsWhatNewcomersDoNotPushOut) {
  const SelectionSpec spec = Reservoir{.samples = 300, .half_life = Duration{50'000}};
  const Chosen before = ChooseInManyWays(spec, StreamOf(200'000), OfTrigger(1));
  const Chosen after = ChooseFrom(spec, StreamOf(210'000), OfTrigger(2));
  const std::set<int64_t> had(before.rows.begin(), before.rows.end());
  for (const int64_t row : after.rows) {
    EXPECT_TRUE(row >= 200'000 || had.contains(row)) << row;
  }
  EXPECT_THAT(ChooseFrom(spec, StreamOf(40)).rows, SizeIs(40));
  EXPECT_THAT(ChooseFrom(spec, StreamOf(0)).rows, IsEmpty());
}

}  // namespace
}  // namespace tidemill::selector

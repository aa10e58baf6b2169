#include "selector/choosing/chooser.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "selector/choosing/lots.h"
#include "selector/policies/policy_list.h"
#include "selector/testing/choosing.h"

namespace tidemill::selector {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using testing::ChooseFrom;
using testing::Chosen;
using testing::kFirstKey;
using testing::kRandom;
using testing::Spec;
using testing::StreamOf;

// The definition: sort the candidates by their lots, take the first.
std::vector<int64_t> SmallestLots(const std::vector<int64_t>& keys, size_t count) {
  std::vector<std::pair<uint64_t, int64_t>> lots;
  for (const int64_t key : keys) lots.emplace_back(RandomBits(kRandom, key), key);
  std::sort(lots.begin(), lots.end());
  lots.resize(count);
  std::vector<int64_t> rows;
  for (const auto& [bits, key] : lots) rows.push_back(key - kFirstKey);
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(NewDataPolicy, TakesEveryCandidateInOrder) {
  const Chosen choice = ChooseFrom(NewData{}, StreamOf(4));
  EXPECT_THAT(choice.rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(choice.weights, IsEmpty());
}

TEST(NewDataPolicy, KeepsTheLatestOfMoreThanItsLimit) {
  EXPECT_THAT(ChooseFrom(NewData{.limit = 2}, StreamOf(5)).rows, ElementsAre(3, 4));
  EXPECT_THAT(ChooseFrom(NewData{.limit = 9}, StreamOf(2)).rows, ElementsAre(0, 1));
}

TEST(NewDataPolicy, KeepsTheSameLatestWhateverThePiecesAndTheMemory) {
  const testing::Stream stream = StreamOf(500'000);
  const SelectionSpec spec = NewData{.limit = 199'999};
  for (const size_t piece : {size_t{7919}, size_t{199'999}, size_t{500'000}}) {
    const Chosen choice = ChooseFrom(spec, stream, kRandom, {.piece = piece, .memory_budget = 1});
    ASSERT_THAT(choice.rows, SizeIs(199'999));
    EXPECT_EQ(choice.rows.front(), 300'001);
    EXPECT_TRUE(std::is_sorted(choice.rows.begin(), choice.rows.end()));
    EXPECT_EQ(choice.rows.back(), 499'999);
  }
}

TEST(UniformPolicy, DrawsExactlyTheRoundedShareInTheOrderOfTheStream) {
  const Chosen choice = ChooseFrom(Spec("{type: uniform, fraction: 0.25}"), StreamOf(1002));
  EXPECT_THAT(choice.rows, SizeIs(251));  // 250.5 rounds away from zero.
  EXPECT_TRUE(std::is_sorted(choice.rows.begin(), choice.rows.end()));
  EXPECT_EQ(std::adjacent_find(choice.rows.begin(), choice.rows.end()), choice.rows.end());
}

TEST(UniformPolicy, DrawsAtLeastOneOfFewAndNoneOfNone) {
  EXPECT_THAT(ChooseFrom(Spec("{type: uniform, fraction: 0.001}"), StreamOf(3)).rows, SizeIs(1));
  EXPECT_THAT(ChooseFrom(Spec("{type: uniform, fraction: 0.5}"), StreamOf(0)).rows, IsEmpty());
  EXPECT_THAT(ChooseFrom(Spec("{type: uniform, samples: 10}"), StreamOf(3)).rows,
              ElementsAre(0, 1, 2));
}

TEST(UniformPolicy, DrawsTheSameKeysWhateverTheirRowsAre) {
  testing::Stream stream = StreamOf(1000);
  const auto chosen_keys = [](const testing::Stream& from) {
    std::vector<int64_t> chosen = ChooseFrom(Spec("{type: uniform, samples: 100}"), from).rows;
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  };
  const std::vector<int64_t> in_order = chosen_keys(stream);
  std::reverse(stream.keys.begin(), stream.keys.end());
  EXPECT_EQ(chosen_keys(stream), in_order);
}

TEST(UniformPolicy, DrawsTheSmallestLotsWhateverThePiecesTheMemoryAndTheThreads) {
  const testing::Stream stream = StreamOf(400'000);
  const std::vector<testing::Circumstances> circumstances = {
      {},
      {.piece = 401},
      {.piece = 70'000, .memory_budget = 1},
      {.num_threads = 2},
      {.piece = 300'000, .memory_budget = int64_t{1} << 20, .num_threads = 3}};
  for (const SelectionSpec& spec :
       {Spec("{type: uniform, fraction: 0.1}"), Spec("{type: uniform, samples: 3}"),
        Spec("{type: uniform, fraction: 0.9}"), Spec("{type: uniform, samples: 399_999}"),
        Spec("{type: uniform, fraction: 1.0}")}) {
    const int64_t count = spec->Target(400'000);
    const std::vector<int64_t> expected = SmallestLots(stream.keys, static_cast<size_t>(count));
    for (const testing::Circumstances& how : circumstances) {
      EXPECT_EQ(ChooseFrom(spec, stream, kRandom, how).rows, expected) << "piece " << how.piece;
    }
  }
}

TEST(UniformPolicy, DrawsAnewForEachTriggerAndSeed) {
  const testing::Stream stream = StreamOf(1000);
  const SelectionSpec spec = Spec("{type: uniform, samples: 100}");
  const Chosen first = ChooseFrom(spec, stream);
  EXPECT_EQ(ChooseFrom(spec, stream).rows, first.rows);
  EXPECT_NE(ChooseFrom(spec, stream, {.seed = 7, .purpose = "selection", .trigger = 4}).rows,
            first.rows);
  EXPECT_NE(ChooseFrom(spec, stream, {.seed = 8, .purpose = "selection", .trigger = 3}).rows,
            first.rows);
}

TEST(UniformPolicy, DrawsEveryPartOfTheStreamAlike) {
  // 10,000 of 100,000: each tenth of the stream expects 1,000 with a deviation of about 28.
  const Chosen choice = ChooseFrom(Spec("{type: uniform, fraction: 0.1}"), StreamOf(100'000));
  std::vector<int64_t> counts(10);
  for (const int64_t row : choice.rows) ++counts[static_cast<size_t>(row / 10'000)];
  EXPECT_THAT(counts, Each(::testing::AllOf(::testing::Gt(850), ::testing::Lt(1150))));
}

TEST(PolicyAt, FollowsTheStepsOfASchedule) {
  const SelectionSpec spec = Spec(
      "{type: schedule, steps: [{triggers: 2, use: all_data}, {triggers: 1, use: {type: reservoir, "
      "samples: 5}}, {use: {type: uniform, fraction: 0.1, warmup_triggers: 1}}]}");
  std::vector<std::string_view> names;
  for (int64_t trigger = 1; trigger <= 6; ++trigger) {
    names.push_back(spec->PolicyAt(trigger).type());
  }
  // The last step warms up in its own first trigger.
  EXPECT_THAT(names,
              ElementsAre("all_data", "all_data", "reservoir", "new_data", "uniform", "uniform"));
}

TEST(PolicyAt, WarmsUpOnAllCandidatesOfTheSamePool) {
  KCenter centers;
  centers.fraction = 0.1;
  centers.warmup_triggers = 2;
  centers.tail = 3;
  const SelectionSpec spec = centers;
  const SelectionSpec warm = spec->PolicyAt(2);
  EXPECT_EQ(warm.type(), "new_data");
  EXPECT_EQ(warm->TakesFrom().tail, 3);
  EXPECT_EQ(spec->PolicyAt(3).type(), "k_center");
  Deduplicated unlike;
  unlike.warmup_triggers = 1;
  unlike.pool.over = Pool::kAll;
  const SelectionSpec all = unlike;
  EXPECT_EQ(all->PolicyAt(1).type(), "all_data");
  EXPECT_EQ(all->PolicyAt(2).type(), "deduplicated");
}

TEST(TakesFrom, SaysFromWhereCandidatesCome) {
  EXPECT_EQ(NewData{}.TakesFrom().tail, 0);
  EXPECT_EQ(NewData{}.TakesFrom().over, Pool::kNew);
  EXPECT_EQ(AllData{}.TakesFrom().over, Pool::kAll);
  EXPECT_EQ(Reservoir{.samples = 1}.TakesFrom().over, Pool::kAll);
  EXPECT_EQ(Freshness{}.TakesFrom().over, Pool::kAll);
  EXPECT_EQ(Freshness{.tail = 2}.TakesFrom().tail, 2);
  EXPECT_EQ(Deduplicated{}.TakesFrom().over, Pool::kNew);
}

TEST(Target, IsHowManyOfItsCandidatesAPolicyChooses) {
  const struct {
    SelectionSpec policy;
    int64_t of_ten;
  } expected[] = {{NewData{}, 10},
                  {NewData{.limit = 4}, 4},
                  {NewData{.limit = 11}, 10},
                  {AllData{}, 10},
                  {AllData{.limit = 4}, 4},
                  {AllData{.limit = 11}, 10},
                  {Freshness{}, 10},
                  {Freshness{.samples = 4}, 4},
                  {Freshness{.samples = 11}, 10},
                  {Reservoir{.samples = 4}, 4},
                  {Reservoir{.samples = 11}, 10},
                  {Deduplicated{}, 10}};
  for (const auto& [policy, of_ten] : expected) {
    EXPECT_EQ(policy->Target(10), of_ten) << config::Print(policy);
    EXPECT_EQ(policy->Target(0), 0) << config::Print(policy);
  }
}

TEST(WhatItLooksAt, IsTheMostThatAStepDoes) {
  EXPECT_EQ(Uniform{}.WhatItLooksAt(), LooksAt::kNothing);
  EXPECT_EQ(Importance{}.WhatItLooksAt(), LooksAt::kColumn);
  EXPECT_EQ(Deduplicated{}.WhatItLooksAt(), LooksAt::kModel);
  SelectionSchedule schedule;
  schedule.steps.push_back({.triggers = 1, .use = Importance{}});
  schedule.steps.push_back({.use = NewData{}});
  EXPECT_EQ(schedule.WhatItLooksAt(), LooksAt::kColumn);
}

TEST(WhatItRecalls, IsTheRoundOfADrawWithoutReuseAndAllSetsOfAMixOfFreshAndUsed) {
  EXPECT_EQ(Uniform{}.WhatItRecalls(), Recalls::kNothing);
  Uniform rounds;
  rounds.reuse = false;
  EXPECT_EQ(rounds.WhatItRecalls(), Recalls::kRound);
  EXPECT_EQ(Freshness{}.WhatItRecalls(), Recalls::kSets);
}

TEST(SelectionSchedule, ChecksTheSamplesOfEachStepAtItsPlace) {
  const SelectionSpec spec = Spec(
      "{type: schedule, steps: [{triggers: 2, use: {type: balanced, samples: 5}}, {use: "
      "all_data}]}");
  config::Problems problems;
  spec->CheckSamples({.dataset = "weather", .schema = {.label = transform::LabelKind::kReal}},
                     problems);
  ASSERT_EQ(problems.items().size(), 1U);
  EXPECT_EQ(problems.items()[0].path, "steps[0].use");
}

TEST(MakeChooser, OfAScheduleIsThatOfTheStepThatServesTheTrigger) {
  SelectionSchedule schedule;
  schedule.steps.push_back({.triggers = 3, .use = NewData{.limit = 2}});
  schedule.steps.push_back({.use = AllData{}});
  EXPECT_THAT(ChooseFrom(schedule, StreamOf(5)).rows, ElementsAre(3, 4));
}

// Plug-ins in other languages draw by the formula.
TEST(Lots, AreThoseOfTheirFormula) {
  for (const int64_t seed : {int64_t{0}, int64_t{7}, int64_t{-5}, int64_t{1} << 62}) {
    for (const int64_t trigger : {0, 1, 99}) {
      const RandomKey random{.seed = seed, .purpose = "selection", .trigger = trigger, .epoch = 2};
      const LotFormula lots = FormulaOf(random);
      for (const int64_t key : {int64_t{0}, int64_t{1}, int64_t{-1}, kFirstKey, kFirstKey + 99}) {
        EXPECT_EQ(lots.BitsOf(key), RandomBits(random, key));
      }
    }
  }
  // As docs/formats/plugin_protocol.md has them.
  const LotFormula lots = FormulaOf({.seed = 7, .purpose = "selection", .trigger = 3});
  EXPECT_EQ(lots.times, 1410816788072644587U);
  EXPECT_EQ(lots.flip, 16675432863047865701U);
  EXPECT_EQ(lots.plus, 16972011292405891003U);
  EXPECT_EQ(lots.BitsOf(kFirstKey), 18011953828040605416U);
}

}  // namespace
}  // namespace tidemill::selector

#include "loader/sample_sources.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "loader/batches/batch_maker.h"
#include "loader/testing/small_set.h"

namespace tidemill::loader {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tidemill::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// Ten samples of the classes 0, 1, 2 in turn; the first six in a/x.csv, others in b/y.csv.
TrainingSet TenKeys() {
  TrainingSet set;
  set.keys.resize(10);
  std::iota(set.keys.begin(), set.keys.end(), 100);
  return set;
}
SampleFacts FactsOfTen() {
  SampleFacts facts;
  facts.paths = {"a/x.csv", "b/y.csv"};
  for (int64_t i = 0; i < 10; ++i) {
    facts.classes.push_back(i % 3);
    facts.files.push_back(i < 6 ? 0 : 1);
  }
  return facts;
}

TEST(SampleSources, ASampleBelongsToTheFirstSourceThatItFits) {
  const models::Mix mix = {.sources = {{.classes = {1}},
                                       {.classes = {0, 1}, .files = "b/*"},
                                       {.files = "**/x.csv", .weight = 4},
                                       {}}};
  const auto divided = DivideIntoSources(TenKeys(), FactsOfTen(), nullptr, mix);
  ASSERT_TRUE(divided.ok()) << divided.status();
  EXPECT_THAT(divided->sources[0].ordinals, ElementsAre(1, 4, 7));
  EXPECT_THAT(divided->sources[1].ordinals, ElementsAre(6, 9));
  EXPECT_THAT(divided->sources[2].ordinals, ElementsAre(0, 2, 3, 5));
  EXPECT_EQ(divided->sources[2].weight, 4);
  EXPECT_THAT(divided->sources[3].ordinals, ElementsAre(8));
}

TEST(SampleSources, OfASubsetAreItsPlaces) {
  const Subset subset = {.ordinals = {4, 5, 6, 7}};
  const auto divided =
      DivideIntoSources(TenKeys(), FactsOfTen(), &subset, {.sources = {{.classes = {1}}, {}}});
  ASSERT_TRUE(divided.ok()) << divided.status();
  EXPECT_THAT(divided->sources[0].ordinals, ElementsAre(0, 3));
  EXPECT_THAT(divided->sources[1].ordinals, ElementsAre(1, 2));
}

TEST(SampleSources, SamplesOfNoSourceAreNamed) {
  const auto by_class =
      DivideIntoSources(TenKeys(), FactsOfTen(), nullptr, {.sources = {{.classes = {0, 2}}}});
  EXPECT_THAT(by_class, StatusIs(kInvalid, AllOf(HasSubstr("3 of 10"), HasSubstr("sample 101"),
                                                 HasSubstr("class 1"))));
  SampleFacts facts = FactsOfTen();
  facts.classes.clear();
  const auto without =
      DivideIntoSources(TenKeys(), facts, nullptr, {.sources = {{.files = "b/*"}}});
  EXPECT_THAT(without, StatusIs(kInvalid, AllOf(HasSubstr("sample 100 of a/x.csv"),
                                                HasSubstr("without a class"))));
}

TEST(SampleSources, ASourceWithoutSamplesIsNamed) {
  const auto divided = DivideIntoSources(TenKeys(), FactsOfTen(), nullptr,
                                         {.sources = {{.classes = {1}}, {.files = "c/*"}, {}}});
  EXPECT_THAT(divided, StatusIs(kInvalid, HasSubstr("training.mix.sources[1]")));
}

TEST(SampleSources, WhatStorageDoesNotKnowBelongsToTheLast) {
  SampleFacts facts = FactsOfTen();
  facts.files[2] = SampleFacts::kNoFile;
  facts.classes[2] = std::nullopt;
  const auto divided = DivideIntoSources(TenKeys(), facts, nullptr,
                                         {.sources = {{.classes = {0, 1}}, {.classes = {2}}}});
  ASSERT_TRUE(divided.ok()) << divided.status();
  EXPECT_THAT(divided->sources[1].ordinals, ElementsAre(2, 5, 8));
}

void ExpectDivides(const std::vector<Subset>& shards, int64_t size) {
  std::vector<int64_t> together;
  for (const Subset& shard : shards) {
    EXPECT_TRUE(std::ranges::is_sorted(shard.ordinals));
    EXPECT_FALSE(shard.ordinals.empty());
    together.insert(together.end(), shard.ordinals.begin(), shard.ordinals.end());
  }
  std::ranges::sort(together);
  std::vector<int64_t> all(static_cast<size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(together, all) << "each ordinal in one shard";
}

TEST(Shards, ByKeyAreNeighboursAndEquallyLarge) {
  for (const int64_t size : {7, 64, 1003}) {
    for (const int64_t count : {1, 2, 3, 7}) {
      const auto shards = ShardByKey(size, count);
      ASSERT_TRUE(shards.ok()) << shards.status();
      ASSERT_EQ(std::ssize(*shards), count);
      ExpectDivides(*shards, size);
      for (const Subset& shard : *shards) {
        EXPECT_EQ(shard.ordinals.back() - shard.ordinals.front() + 1, shard.size());
        EXPECT_GE(shard.size(), size / count);
        EXPECT_LE(shard.size(), size / count + 1);
      }
    }
  }
  EXPECT_THAT(ShardByKey(3, 4), StatusIs(kInvalid, HasSubstr("3 samples, but shards.count is 4")));
}

// Files of 50, 10, 40, 30, 20 and 10 samples, in turn.
SampleFacts FactsOfSixFiles() {
  SampleFacts facts;
  facts.paths = {"a", "b", "c", "d", "e", "f"};
  std::vector<int32_t> left = {50, 10, 40, 30, 20, 10};
  while (std::accumulate(left.begin(), left.end(), 0) > 0) {
    for (size_t file = 0; file < left.size(); ++file) {
      if (left[file] == 0) continue;
      --left[file];
      facts.files.push_back(static_cast<int32_t>(file));
    }
  }
  return facts;
}

TEST(Shards, ByFileKeepFilesTogetherAndAreBalanced) {
  const SampleFacts facts = FactsOfSixFiles();
  for (int64_t count = 1; count <= 6; ++count) {
    const auto shards = ShardByFile(facts, count);
    ASSERT_TRUE(shards.ok()) << shards.status();
    ExpectDivides(*shards, 160);
    std::set<int32_t> seen;
    for (const Subset& shard : *shards) {
      std::set<int32_t> files;
      for (const int64_t ordinal : shard.ordinals) files.insert(facts.files[ordinal]);
      for (const int32_t file : files) EXPECT_TRUE(seen.insert(file).second) << file;
    }
  }
  const std::vector<Subset> three = ShardByFile(facts, 3).value();
  EXPECT_EQ(three[0].size(), 60) << "50 and 10";
  EXPECT_EQ(three[1].size(), 50) << "40 and 10";
  EXPECT_EQ(three[2].size(), 50) << "30 and 20";
}

TEST(Shards, MoreThanFilesAreRefused) {
  EXPECT_THAT(ShardByFile(FactsOfSixFiles(), 7),
              StatusIs(kInvalid, HasSubstr("6 files, but shards.count is 7: write at most 6")));
}

TEST(Shards, WhatStorageDoesNotKnowIsInTheFirst) {
  SampleFacts facts = FactsOfTen();
  facts.files[9] = SampleFacts::kNoFile;
  const auto shards = ShardByFile(facts, 2);
  ASSERT_TRUE(shards.ok()) << shards.status();
  ExpectDivides(*shards, 10);
  EXPECT_EQ((*shards)[0].ordinals.back(), 9);
}

TEST(SampleSources, ABatchIsMixedAndItsSlicesSideBySideAreTheBatch) {
  const TrainingSet set = testing::MakeSet(960);
  auto sources = std::make_shared<SampleSources>();
  sources->sources.resize(2);
  sources->sources[1].weight = 3;
  for (int64_t i = 0; i < 960; ++i) sources->sources[i < 100 ? 0 : 1].ordinals.push_back(i);
  BatchPlan plan = testing::Plan(32, 2);
  plan.sources = sources;
  const auto make = [&](int64_t slice, int64_t num_slices) {
    plan.slice = slice;
    plan.num_slices = num_slices;
    const auto maker = BatchMaker::Create({.set = testing::Shared(set),
                                           .reader = testing::ReadSamples,
                                           .graph = testing::MakeGraph()},
                                          plan);
    EXPECT_TRUE(maker.ok()) << maker.status();
    return (*maker)->Make(0, (*maker)->end(), {}).value();
  };
  const std::vector<TrainingBatch> whole = make(0, 1);
  ASSERT_EQ(whole.size(), 60u);
  std::vector<std::vector<int64_t>> together(whole.size());
  for (int64_t slice = 0; slice < 4; ++slice) {
    const std::vector<TrainingBatch> part = make(slice, 4);
    for (size_t i = 0; i < part.size(); ++i) {
      for (const int64_t ordinal : testing::OrdinalsOf(part[i])) together[i].push_back(ordinal);
    }
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(together[i], testing::OrdinalsOf(whole[i])) << i;
    EXPECT_EQ(whole[i].rows.num_rows() + whole[i].num_skipped, 32) << i;
  }
}

TEST(SampleSources, CannotBeCombinedWithADraw) {
  BatchPlan plan = testing::Plan(32, 2);
  plan.sources = std::make_shared<SampleSources>();
  plan.draw = RepeatedDraw{.samples = 10};
  const auto maker = BatchMaker::Create({.set = testing::Shared(testing::MakeSet(96)),
                                         .reader = testing::ReadSamples,
                                         .graph = testing::MakeGraph()},
                                        plan);
  EXPECT_EQ(maker.status().code(), kInvalid);
}

}  // namespace
}  // namespace tidemill::loader

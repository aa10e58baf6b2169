#include "loader/batches/batch_maker.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "loader/testing/small_set.h"

namespace tidemill::loader {
namespace {

using namespace testing;  // NOLINT: the fixtures of this room.
using ::testing::Each;

std::unique_ptr<const BatchMaker> MakerOf(const TrainingSet& set, const BatchPlan& plan) {
  auto maker =
      BatchMaker::Create({.set = Shared(set), .reader = ReadSamples, .graph = MakeGraph()}, plan);
  EXPECT_TRUE(maker.ok()) << maker.status().ToString();
  return *std::move(maker);
}

std::vector<TrainingBatch> Make(const BatchMaker& maker, int64_t from, int64_t to) {
  auto made = maker.Make(from, to, {});
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return made.ok() ? *std::move(made) : std::vector<TrainingBatch>();
}

// A set all of whose samples can be read.
TrainingSet ReadableSet(int64_t size) {
  TrainingSet set;
  for (int64_t key = 1; set.size() < size; ++key) {
    if (key % 13 != 0 && key % 17 != 0) set.keys.push_back(key);
  }
  return set;
}

// Ordinals of the batches of an epoch as `num_slices` consumers see them, side by side.
std::vector<std::vector<int64_t>> SideBySide(const TrainingSet& set, BatchPlan plan,
                                             int64_t num_slices) {
  std::vector<std::vector<int64_t>> batches;
  plan.num_slices = num_slices;
  for (plan.slice = 0; plan.slice < num_slices; ++plan.slice) {
    const auto maker = MakerOf(set, plan);
    const std::vector<TrainingBatch> made = Make(*maker, 0, maker->end());
    batches.resize(made.size());
    for (size_t i = 0; i < made.size(); ++i) {
      for (const int64_t ordinal : OrdinalsOf(made[i])) batches[i].push_back(ordinal);
    }
  }
  return batches;
}

TEST(BatchMaker, ABatchIsTheSameWhicheverOthersAreMadeWithIt) {
  const auto maker = MakerOf(MakeSet(500), Plan(16, 3));
  const std::vector<TrainingBatch> whole = Make(*maker, 0, maker->end());
  ASSERT_EQ(std::ssize(whole), maker->end());
  for (const auto& [from, to] : {std::pair(0, 1), {31, 33}, {5, 96}, {95, 96}, {40, 41}}) {
    const std::vector<TrainingBatch> some = Make(*maker, from, to);
    ASSERT_EQ(std::ssize(some), to - from);
    for (int64_t i = 0; i < to - from; ++i) {
      EXPECT_EQ(OrdinalsOf(some[i]), OrdinalsOf(whole[from + i]));
      EXPECT_EQ(some[i].epoch, whole[from + i].epoch);
      EXPECT_EQ(some[i].index, whole[from + i].index);
      EXPECT_EQ(some[i].num_skipped, whole[from + i].num_skipped);
    }
  }
}

TEST(BatchMaker, SlicesSideBySideAreTheBatchHoweverManyTheyAre) {
  for (const LastBatch last : {LastBatch::kKeep, LastBatch::kDrop, LastBatch::kWrap}) {
    BatchPlan plan = Plan(48, 2);
    plan.last_batch = last;
    const auto whole = SideBySide(MakeSet(1000), plan, 1);
    for (const int64_t consumers : {2, 3, 4, 5, 48}) {
      EXPECT_EQ(SideBySide(MakeSet(1000), plan, consumers), whole) << consumers << " consumers";
    }
  }
}

TEST(BatchMaker, EverySliceHasEquallyManyBatchesAndTheStatedSamples) {
  // 1003 samples for 4 consumers in batches of 10 each: 25 full steps and three samples.
  const TrainingSet set = ReadableSet(1003);
  const std::map<LastBatch, std::tuple<int64_t, int64_t>> expected = {
      {LastBatch::kKeep, {26, 1003}},
      {LastBatch::kDrop, {25, 1000}},
      {LastBatch::kPad, {26, 1040}},
      {LastBatch::kWrap, {26, 1040}}};
  for (const auto& [last, counts] : expected) {
    int64_t num_samples = 0;
    double weight = 0;
    for (int64_t slice = 0; slice < 4; ++slice) {
      BatchPlan plan = Plan(40, 1);
      plan.last_batch = last;
      plan.slice = slice;
      plan.num_slices = 4;
      const auto maker = MakerOf(set, plan);
      EXPECT_EQ(maker->num_batches(), std::get<0>(counts));
      int64_t of_slice = 0;
      for (const TrainingBatch& batch : Make(*maker, 0, maker->end())) {
        of_slice += batch.rows.num_rows();
        const batch::Column* const weights = batch.rows.Find("weight");
        for (int64_t row = 0; row < batch.rows.num_rows(); ++row) {
          weight += weights == nullptr ? 1 : weights->Values<float>()[row];
        }
      }
      EXPECT_EQ(of_slice, maker->num_samples());
      num_samples += of_slice;
    }
    EXPECT_EQ(num_samples, std::get<1>(counts));
    const bool counts_again = last == LastBatch::kWrap;
    EXPECT_EQ(weight, counts_again ? 1040 : last == LastBatch::kDrop ? 1000 : 1003);
  }
}

TEST(BatchMaker, WhatFillsABatchAreTheEpochsFirstSamples) {
  BatchPlan plan = Plan(40, 1);
  plan.last_batch = LastBatch::kPad;
  const auto maker = MakerOf(ReadableSet(1003), plan);
  const std::vector<TrainingBatch> made = Make(*maker, 0, maker->end());
  const std::vector<int64_t> first = OrdinalsOf(made.front());
  const std::vector<int64_t> last = OrdinalsOf(made.back());
  ASSERT_EQ(last.size(), 40u);
  EXPECT_TRUE(std::equal(last.begin() + 3, last.end(), first.begin()));
  const auto weights = made.back().rows.Find("weight")->Values<float>();
  EXPECT_THAT(weights.first(3), Each(1.0f));
  EXPECT_THAT(weights.subspan(3), Each(0.0f));
}

TEST(BatchMaker, ASetSmallerThanABatchIsFilledBySeveralRoundsOrOneSmallerBatch) {
  BatchPlan plan = Plan(10, 2);
  plan.last_batch = LastBatch::kWrap;
  const auto wrapped = MakerOf(ReadableSet(3), plan);
  EXPECT_EQ(wrapped->end(), 2);
  for (const TrainingBatch& batch : Make(*wrapped, 0, 2)) EXPECT_EQ(batch.rows.num_rows(), 10);
  plan.last_batch = LastBatch::kDrop;
  const auto kept = MakerOf(ReadableSet(3), plan);
  EXPECT_EQ(kept->end(), 2);
  for (const TrainingBatch& batch : Make(*kept, 0, 2)) EXPECT_EQ(batch.rows.num_rows(), 3);
}

TEST(BatchMaker, SamplesWithoutLabelsHavePlaceholdersForTargets) {
  const auto maker = BatchMaker::Create(
      {.set = Shared(ReadableSet(20)), .reader = WithoutLabels(ReadSamples), .graph = MakeGraph()},
      Plan(20, 1));
  ASSERT_TRUE(maker.ok()) << maker.status();
  const std::vector<TrainingBatch> made = Make(**maker, 0, 1);
  EXPECT_EQ(made[0].rows.num_rows(), 20);
  EXPECT_THAT(made[0].rows.Find("target")->Values<int64_t>(), Each(0));
}

TEST(BatchMaker, AnUnknownSliceIsAnError) {
  BatchPlan plan = Plan(10, 1);
  plan.slice = 2;
  plan.num_slices = 2;
  const auto maker = BatchMaker::Create(
      {.set = Shared(MakeSet(10)), .reader = ReadSamples, .graph = MakeGraph()}, plan);
  EXPECT_EQ(maker.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tidemill::loader

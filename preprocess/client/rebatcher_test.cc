#include "preprocess/client/rebatcher.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::preprocess {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;

// Batches of 4 samples, the last of an epoch of 2: sample n of the job has the ordinal n.
constexpr int64_t kRows = 4;
constexpr int64_t kBatches = 5;
constexpr int64_t kSamplesOfEpoch = 18;

int64_t SamplesOf(int64_t number) { return number % kBatches == kBatches - 1 ? 2 : kRows; }

Rebatcher::Plan PlanOf(int64_t epochs, int64_t window = 1000) {
  return {.end = epochs * kBatches,
          .batches_of_epoch = kBatches,
          .batch_rows = kRows,
          .window = window,
          .samples_of = SamplesOf};
}

std::vector<int64_t> FirstOrdinals(int64_t number) {
  std::vector<int64_t> ordinals(static_cast<size_t>(SamplesOf(number)));
  std::iota(ordinals.begin(), ordinals.end(),
            number / kBatches * kSamplesOfEpoch + number % kBatches * kRows);
  return ordinals;
}

BatchMessage Message(int64_t number, const std::vector<int64_t>& ordinals, int64_t skipped = 0) {
  BatchMessage message{.number = number, .num_skipped = skipped};
  if (skipped > 0) message.reason = "torn";
  if (ordinals.empty()) return message;
  message.rows = batch::Batch(std::ssize(ordinals));
  message.rows.Set(batch::MakeColumn<int64_t>(batch::kOrdinalColumn, ordinals)).IgnoreError();
  return message;
}

BatchMessage Whole(int64_t number) { return Message(number, FirstOrdinals(number)); }

std::vector<int64_t> RowsOf(const loader::TrainingBatch& batch) {
  if (batch.rows.num_rows() == 0) return {};
  const auto rows = batch.rows.Find(batch::kOrdinalColumn)->Values<int64_t>();
  return {rows.begin(), rows.end()};
}

// The next batch, which must be there.
loader::TrainingBatch Take(Rebatcher& rebatcher) {
  auto taken = rebatcher.Take();
  EXPECT_TRUE(taken.ok() && taken->has_value());
  return (*std::move(taken))->batch;
}

bool HasNone(Rebatcher& rebatcher) { return !rebatcher.Take().value().has_value(); }

TEST(Rebatcher, ALateRowComesInALaterBatch) {
  Rebatcher rebatcher(PlanOf(1));
  rebatcher.Add(Message(0, {0, 1, 3}), std::nullopt);
  EXPECT_TRUE(HasNone(rebatcher));
  rebatcher.Add(Whole(1), std::nullopt);
  EXPECT_THAT(RowsOf(Take(rebatcher)), ElementsAre(0, 1, 3, 4));
  EXPECT_TRUE(HasNone(rebatcher));
  EXPECT_EQ(rebatcher.wanted(), 0) << "it lacks a row";
  rebatcher.Add(Message(0, {2}), std::nullopt);
  EXPECT_EQ(rebatcher.wanted(), 2);
  EXPECT_EQ(rebatcher.done_before(), 0) << "the row is not delivered";
  const loader::TrainingBatch second = Take(rebatcher);
  EXPECT_THAT(RowsOf(second), ElementsAre(5, 6, 7, 2));
  EXPECT_EQ(second.index, 1);
  EXPECT_EQ(rebatcher.done_before(), 2);
}

TEST(Rebatcher, ABatchOfTheNextEpochNeedNotWaitForALateRowAndNeverHasIt) {
  Rebatcher rebatcher(PlanOf(2));
  for (const int64_t number : {0, 1, 2, 3, 5}) rebatcher.Add(Whole(number), std::nullopt);
  rebatcher.Add(Message(4, {17}), std::nullopt);
  for (int64_t number = 0; number < 4; ++number) EXPECT_EQ(Take(rebatcher).epoch, 0);
  EXPECT_EQ(Take(rebatcher).epoch, 1);
  rebatcher.Add(Message(4, {16}), std::nullopt);
  const loader::TrainingBatch last = Take(rebatcher);
  EXPECT_EQ(last.epoch, 0);
  EXPECT_EQ(last.index, 4);
  EXPECT_THAT(RowsOf(last), ElementsAre(17, 16));
}

TEST(Rebatcher, WhatAWorkerGaveBeforeItDiedIsHadOnce) {
  Rebatcher rebatcher(PlanOf(1));
  EXPECT_TRUE(rebatcher.Add(Message(0, {0, 1, 2}), std::nullopt));
  EXPECT_TRUE(rebatcher.Add(Message(0, {1, 2, 3}), std::nullopt)) << "another had other late rows";
  EXPECT_EQ(rebatcher.wanted(), 1) << "all of it has come";
  EXPECT_FALSE(rebatcher.Add(Message(0, {0}), std::nullopt));
  EXPECT_THAT(RowsOf(Take(rebatcher)), ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(rebatcher.Add(Whole(0), std::nullopt));
  EXPECT_EQ(rebatcher.num_dropped(), 2);
}

TEST(Rebatcher, WhatABatchLacksIsReportedOnceWhicheverPartComesLast) {
  Rebatcher rebatcher(PlanOf(1));
  rebatcher.Add(Message(0, {3}, /*skipped=*/1), std::nullopt);
  EXPECT_EQ(rebatcher.wanted(), 0);
  rebatcher.Add(Message(0, {1, 2}), std::nullopt);
  EXPECT_EQ(rebatcher.wanted(), 1);
  rebatcher.Add(Message(0, {3}, /*skipped=*/1), std::nullopt);
  rebatcher.Add(Message(1, {}, /*skipped=*/4), std::nullopt);
  rebatcher.Add(Whole(2), std::nullopt);
  const loader::TrainingBatch first = Take(rebatcher);
  EXPECT_EQ(first.num_skipped, 5);
  EXPECT_EQ(first.reason, "torn");
  for (const int64_t number : {3, 4}) rebatcher.Add(Whole(number), std::nullopt);
  while (!rebatcher.ended()) EXPECT_EQ(Take(rebatcher).num_skipped, 0);
}

TEST(Rebatcher, CreditIsGivenBackWithTheLastRowOfAMessage) {
  Rebatcher rebatcher(PlanOf(1));
  rebatcher.Add(Message(0, {0, 1, 2}), Inbox::Origin{.connection = 7, .bytes = 30});
  rebatcher.Add(Whole(1), Inbox::Origin{.connection = 8, .bytes = 40});
  const auto first = rebatcher.Take().value().value();
  ASSERT_EQ(first.origins.size(), 1u);
  EXPECT_EQ(first.origins[0].connection, 7);
  rebatcher.Add(Message(0, {3}), Inbox::Origin{.connection = 7, .bytes = 10});
  const auto second = rebatcher.Take().value().value();
  ASSERT_EQ(second.origins.size(), 2u);
  EXPECT_EQ(second.origins[0].bytes + second.origins[1].bytes, 50);
}

TEST(Rebatcher, RowsTooFewForABatchAreHandedOnWhenNothingMoreIsUnderWay) {
  Rebatcher rebatcher(PlanOf(1, /*window=*/2));
  rebatcher.Add(Message(0, {0}, /*skipped=*/3), std::nullopt);
  EXPECT_TRUE(HasNone(rebatcher)) << "batch 1 is being made";
  rebatcher.Add(Message(1, {4}, /*skipped=*/3), std::nullopt);
  EXPECT_THAT(RowsOf(Take(rebatcher)), ElementsAre(0, 4));
  EXPECT_EQ(rebatcher.done_before(), 2);
}

TEST(Rebatcher, BatchesThatAreGivenUpHoldNothingUp) {
  Rebatcher rebatcher(PlanOf(1));
  rebatcher.Add(Message(1, {5, 6}), std::nullopt);
  rebatcher.GiveUp(0, 4);
  EXPECT_EQ(rebatcher.num_given_up(), 4);
  EXPECT_FALSE(rebatcher.Add(Whole(2), std::nullopt));
  rebatcher.Add(Whole(4), std::nullopt);
  EXPECT_THAT(RowsOf(Take(rebatcher)), ElementsAre(5, 6, 16, 17));
  EXPECT_TRUE(rebatcher.ended());
}

TEST(Rebatcher, ATokenSaysWhichBatchesHaveNothingLeft) {
  Rebatcher first(PlanOf(2));
  for (const int64_t number : {0, 2, 3}) first.Add(Whole(number), std::nullopt);
  first.Add(Message(1, {4, 5, 6}), std::nullopt);
  for (int i = 0; i < 3; ++i) Take(first);
  EXPECT_EQ(first.done_before(), 1);
  EXPECT_THAT(first.DoneBeyond(), ElementsAre(2, 3));
  Rebatcher::Plan rest = PlanOf(2);
  rest.first = first.done_before();
  rest.done = first.DoneBeyond();
  Rebatcher second(rest);
  EXPECT_FALSE(second.Add(Whole(2), std::nullopt));
  for (const int64_t number : {1, 4, 5, 6, 7, 8, 9}) second.Add(Whole(number), std::nullopt);
  std::vector<int64_t> got;
  while (!second.ended()) std::ranges::copy(RowsOf(Take(second)), std::back_inserter(got));
  EXPECT_EQ(std::ssize(got), 4 + 2 + kSamplesOfEpoch);
}

// Workers that make batches in random parts, and die in between: all of a batch is made again, in
// other parts, the dead one's last words coming before, after or in between.
std::vector<BatchMessage> RandomMessages(int64_t num_batches, std::mt19937& random,
                                         std::map<int64_t, int64_t>& skipped) {
  std::vector<BatchMessage> messages;
  for (int64_t number = 0; number < num_batches; ++number) {
    std::vector<int64_t> rows = FirstOrdinals(number);
    // The same samples are bad whoever looks at them.
    if (random() % 4 == 0) {
      rows.pop_back();
      ++skipped[number];
    }
    for (uint32_t attempt = random() % 3 + 1; attempt > 0; --attempt) {
      std::ranges::shuffle(rows, random);
      const auto late = static_cast<std::ptrdiff_t>(random() % (rows.size() + 1));
      const std::vector<int64_t> first(rows.begin() + late, rows.end());
      const std::vector<int64_t> second(rows.begin(), rows.begin() + late);
      if (late > 0 && !first.empty()) messages.push_back(Message(number, first));
      const bool died = attempt > 1 && late > 0;
      if (!died) {
        messages.push_back(
            Message(number, late > 0 ? second : first, skipped.contains(number) ? 1 : 0));
      }
    }
  }
  // Batches overtake each other, within what is under way.
  for (size_t i = 0; i + 1 < messages.size(); ++i) {
    std::swap(messages[i], messages[std::min(i + random() % 8, messages.size() - 1)]);
  }
  return messages;
}

TEST(Rebatcher, EverySampleComesOnceHoweverBatchesAreCutAndMadeAgain) {
  constexpr int64_t kEpochs = 3;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::map<int64_t, int64_t> skipped;
    const auto messages = RandomMessages(kEpochs * kBatches, random, skipped);
    Rebatcher rebatcher(PlanOf(kEpochs));
    std::map<int64_t, std::vector<int64_t>> got;  // By epoch.
    std::map<int64_t, int64_t> smaller;
    int64_t num_skipped = 0;
    for (const BatchMessage& message : messages) {
      rebatcher.Add(message, std::nullopt);
      while (random() % 4 > 0) {
        const auto taken = rebatcher.Take().value();
        if (!taken) break;
        std::ranges::copy(RowsOf(taken->batch), std::back_inserter(got[taken->batch.epoch]));
        EXPECT_THAT(taken->batch.rows.num_rows(), Le(kRows));
        if (taken->batch.rows.num_rows() < kRows) ++smaller[taken->batch.epoch];
        num_skipped += taken->batch.num_skipped;
      }
    }
    while (!rebatcher.ended()) {
      const loader::TrainingBatch batch = Take(rebatcher);
      std::ranges::copy(RowsOf(batch), std::back_inserter(got[batch.epoch]));
      if (batch.rows.num_rows() < kRows) ++smaller[batch.epoch];
      num_skipped += batch.num_skipped;
    }
    EXPECT_EQ(num_skipped, std::ssize(skipped)) << seed;
    for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
      std::vector<int64_t> expected;
      for (int64_t number = epoch * kBatches; number < (epoch + 1) * kBatches; ++number) {
        std::vector<int64_t> rows = FirstOrdinals(number);
        if (skipped.contains(number)) rows.pop_back();
        expected.insert(expected.end(), rows.begin(), rows.end());
      }
      std::ranges::sort(got[epoch]);
      EXPECT_EQ(got[epoch], expected) << seed;
      EXPECT_LE(smaller[epoch], 1) << "the last of an epoch alone is smaller; seed " << seed;
    }
  }
}

}  // namespace
}  // namespace tidemill::preprocess

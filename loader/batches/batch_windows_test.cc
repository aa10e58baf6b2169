// Batches of samples of similar length.
#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "loader/plan/length_buckets.h"
#include "loader/plan/ragged_column.h"
#include "loader/testing/text_set.h"

namespace tidemill::loader {
namespace {

using namespace testing;  // NOLINT: the fixtures of this room.
using ::testing::HasSubstr;
using ::tidemill::testing::StatusIs;

constexpr LastBatch kLastBatches[] = {LastBatch::kKeep, LastBatch::kDrop, LastBatch::kPad,
                                      LastBatch::kWrap};

std::vector<TrainingBatch> MakeAll(const TrainingSet& set, const BatchPlan& plan) {
  const auto maker = TextMaker(set, plan);
  return MakeBatches(*maker, 0, maker->end());
}

// The numbers of a row of the input, without the zeros at its end.
std::vector<int64_t> WordsOf(const TrainingBatch& batch, int64_t row) {
  const batch::Column& input = *batch.rows.Find("input");
  const auto width = static_cast<size_t>(input.Width());
  const auto numbers = input.Values<int64_t>().subspan(static_cast<size_t>(row) * width, width);
  std::vector<int64_t> words(numbers.begin(), numbers.end());
  while (!words.empty() && words.back() == 0) words.pop_back();
  return words;
}

// All that belongs to each sample.
std::multiset<std::vector<int64_t>> SamplesOf(const std::vector<TrainingBatch>& batches) {
  std::multiset<std::vector<int64_t>> samples;
  for (const TrainingBatch& batch : batches) {
    const std::vector<int64_t> ordinals = OrdinalsOf(batch);
    for (int64_t row = 0; row < batch.rows.num_rows(); ++row) {
      std::vector<int64_t> values = WordsOf(batch, row);
      values.push_back(batch.rows.keys()[row]);
      values.push_back(batch.rows.Find("target")->Values<int64_t>()[row]);
      values.push_back(std::lround(batch.rows.Find("input_number")->Values<float>()[row]));
      values.push_back(std::lround(2 * batch.rows.Find("weight")->Values<float>()[row]));
      values.push_back(ordinals[row]);
      values.push_back(batch.epoch);
      samples.insert(std::move(values));
    }
  }
  return samples;
}

TEST(BatchWindows, AnEpochHasTheSamplesAndBatchesThatItHasWithoutBuckets) {
  for (const int64_t size : {3, 64, 501}) {
    for (const LastBatch last : kLastBatches) {
      for (const int64_t window : {1, 5, 64}) {
        BatchPlan plan = BucketedPlan(16, 3, window);
        plan.last_batch = last;
        const std::vector<TrainingBatch> bucketed = MakeAll(MakeSet(size), plan);
        plan.buckets.reset();
        const std::vector<TrainingBatch> plain = MakeAll(MakeSet(size), plan);
        ASSERT_EQ(bucketed.size(), plain.size());
        for (size_t i = 0; i < plain.size(); ++i) {
          EXPECT_EQ(bucketed[i].epoch, plain[i].epoch);
          EXPECT_EQ(bucketed[i].index, plain[i].index);
          EXPECT_EQ(bucketed[i].rows.num_rows(), plain[i].rows.num_rows());
          EXPECT_EQ(bucketed[i].num_skipped, plain[i].num_skipped);
          EXPECT_EQ(bucketed[i].reason, plain[i].reason);
        }
        EXPECT_EQ(SamplesOf(bucketed), SamplesOf(plain)) << size << " samples, window " << window;
      }
    }
  }
}

TEST(BatchWindows, ABatchIsAsWideAsTheLeastBoundaryThatHoldsItsLongestRow) {
  BatchPlan plan = BucketedPlan(16, 2, 8);
  for (const std::vector<int64_t>& boundaries : {std::vector<int64_t>{}, {3, 10, 40}}) {
    plan.buckets->boundaries = boundaries;
    for (const TrainingBatch& batch : MakeAll(MakeSet(700), plan)) {
      int64_t longest = 0;
      for (int64_t row = 0; row < batch.rows.num_rows(); ++row) {
        longest = std::max(longest, std::ssize(WordsOf(batch, row)));
      }
      EXPECT_EQ(batch.rows.Find("input")->shape,
                (std::vector{WidthOf(*plan.buckets, longest, kTextWidth)}));
    }
  }
}

TEST(BatchWindows, LengthsComeInARandomOrderThatChangesWithTheEpoch) {
  std::map<int64_t, std::vector<int64_t>> widths;
  for (const TrainingBatch& batch : MakeAll(MakeSet(2000), BucketedPlan(20, 2, 100))) {
    widths[batch.epoch].push_back(batch.rows.Find("input")->Width());
  }
  EXPECT_FALSE(std::ranges::is_sorted(widths[0]));
  EXPECT_NE(widths[0], widths[1]);
}

TEST(BatchWindows, PaddingIsLessThanHalfOfThatWithoutBuckets) {
  BatchPlan plan = BucketedPlan(32, 1, 32);
  const auto share_of_padding = [&] {
    int64_t places = 0;
    int64_t words = 0;
    for (const TrainingBatch& batch : MakeAll(MakeSet(4000), plan)) {
      places += std::ssize(batch.rows.Find("input")->Values<int64_t>());
      for (int64_t row = 0; row < batch.rows.num_rows(); ++row) {
        words += std::ssize(WordsOf(batch, row));
      }
    }
    return static_cast<double>(places - words) / static_cast<double>(places);
  };
  const double bucketed = share_of_padding();
  plan.buckets->window = 1;  // As wide as its longest row needs, and that is all.
  const double trimmed = share_of_padding();
  plan.buckets.reset();
  const double plain = share_of_padding();
  std::printf("padding: %.3f bucketed, %.3f trimmed, %.3f plain\n", bucketed, trimmed, plain);
  EXPECT_LT(bucketed, trimmed / 2);
  EXPECT_LT(trimmed, plain);
}

TEST(BatchWindows, SlicesAreOfOneWidthAndSideBySideTheBatchHoweverManyTheyAre) {
  for (const LastBatch last : kLastBatches) {
    BatchPlan plan = BucketedPlan(48, 2, 6);
    plan.last_batch = last;
    const std::vector<TrainingBatch> whole = MakeAll(MakeSet(1000), plan);
    for (const int64_t consumers : {2, 3, 4}) {
      plan.num_slices = consumers;
      std::vector<std::vector<TrainingBatch>> slices(whole.size());
      const auto windows = std::make_shared<WindowCache>(int64_t{1} << 20);
      for (plan.slice = 0; plan.slice < consumers; ++plan.slice) {
        const auto maker = TextMaker(MakeSet(1000), plan, windows);
        std::vector<TrainingBatch> made = MakeBatches(*maker, 0, maker->end());
        for (size_t i = 0; i < made.size(); ++i) slices[i].push_back(std::move(made[i]));
      }
      plan.slice = 0;
      for (size_t i = 0; i < whole.size(); ++i) {
        std::vector<batch::Batch> parts;
        int64_t num_skipped = 0;
        for (const TrainingBatch& slice : slices[i]) {
          if (slice.rows.num_rows() > 0) parts.push_back(slice.rows);
          num_skipped += slice.num_skipped;
        }
        const auto joined = batch::Concatenate(parts);
        ASSERT_TRUE(joined.ok()) << joined.status();
        EXPECT_EQ(batch::Encode(*joined), batch::Encode(whole[i].rows));
        EXPECT_EQ(num_skipped, whole[i].num_skipped);
      }
    }
  }
}

TEST(BatchWindows, ABatchIsTheSameInWhicheverOrderBatchesAreAskedForAndWhateverIsKept) {
  for (const auto layout : {models::RowLayout::kPadded, models::RowLayout::kRagged}) {
    BatchPlan plan = BucketedPlan(16, 3, 7);
    plan.buckets->layout = layout;
    plan.num_slices = 2;
    plan.slice = 1;
    const std::vector<TrainingBatch> whole = MakeAll(MakeSet(500), plan);
    std::vector<int64_t> numbers(whole.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    std::mt19937 random(3);
    std::ranges::shuffle(numbers, random);
    for (const int64_t budget : {int64_t{0}, int64_t{1} << 30}) {
      const auto maker = TextMaker(MakeSet(500), plan, std::make_shared<WindowCache>(budget));
      for (const int64_t from : numbers) {
        const int64_t to = std::min<int64_t>(from + 1 + from % 3, maker->end());
        const std::vector<TrainingBatch> some = MakeBatches(*maker, from, to);
        for (int64_t i = from; i < to; ++i) {
          EXPECT_EQ(BytesOfBatch(some[i - from]), BytesOfBatch(whole[i]));
        }
      }
    }
  }
}

TEST(BatchWindows, AllSlicesTogetherReadASampleOncePerEpoch) {
  constexpr int64_t kSlices = 4;
  BatchPlan plan = BucketedPlan(40, 2, 5);
  plan.num_slices = kSlices;
  std::atomic<int64_t> num_read = 0;
  const auto counting = [&](std::span<const int64_t> keys, const SampleSink& sink) {
    num_read += std::ssize(keys);
    return ReadTexts(keys, sink);
  };
  const auto windows = std::make_shared<WindowCache>(int64_t{1} << 30);
  std::vector<std::unique_ptr<const BatchMaker>> makers;
  for (plan.slice = 0; plan.slice < kSlices; ++plan.slice) {
    makers.push_back(TextMaker(MakeSet(1003), plan, windows, counting));
  }
  {
    std::vector<std::jthread> consumers;
    for (const auto& maker : makers) {
      consumers.emplace_back([&] {
        for (int64_t number = 0; number < maker->end(); ++number) {
          MakeBatches(*maker, number, number + 1);
        }
      });
    }
  }
  EXPECT_EQ(num_read, 2 * 1003);
}

TEST(BatchWindows, WhatFillsTheLastBatchWeighsNothingAtAnyPlace) {
  TrainingSet set = MakeSet(1003);
  set.weights.clear();
  BatchPlan plan = BucketedPlan(40, 1, 8);
  plan.last_batch = LastBatch::kPad;
  plan.buckets.reset();
  const auto count = [&] {
    double weight = 0;
    int64_t rows = 0;
    for (const TrainingBatch& batch : MakeAll(set, plan)) {
      rows += batch.rows.num_rows();
      const batch::Column* const weights = batch.rows.Find("weight");
      for (int64_t row = 0; row < batch.rows.num_rows(); ++row) {
        weight += weights == nullptr ? 1 : weights->Values<float>()[row];
      }
    }
    return std::pair(rows, weight);
  };
  const auto plain = count();
  plan.buckets = models::Buckets{.window = 8};
  EXPECT_EQ(count(), plain);
  EXPECT_LT(plain.second, static_cast<double>(plain.first));
}

TEST(BatchWindows, RaggedBatchesHoldTheRowsOfPaddedOnes) {
  BatchPlan plan = BucketedPlan(30, 1, 6);
  const std::vector<TrainingBatch> padded = MakeAll(MakeSet(400), plan);
  plan.buckets->layout = models::RowLayout::kRagged;
  const std::vector<TrainingBatch> ragged = MakeAll(MakeSet(400), plan);
  ASSERT_EQ(ragged.size(), padded.size());
  for (size_t i = 0; i < padded.size(); ++i) {
    ASSERT_EQ(OrdinalsOf(ragged[i]), OrdinalsOf(padded[i]));
    const batch::Column& input = *ragged[i].rows.Find("input");
    EXPECT_EQ(reinterpret_cast<uintptr_t>(input.data.data()) % 64, 0u);
    const auto lengths = LengthsOf(input);
    ASSERT_TRUE(lengths.ok()) << lengths.status();
    const auto numbers = input.Values<int64_t>();
    size_t at = 0;
    for (int64_t row = 0; row < ragged[i].rows.num_rows(); ++row) {
      const auto words = numbers.subspan(at, static_cast<size_t>((*lengths)[row]));
      at += words.size();
      EXPECT_TRUE(std::ranges::equal(words, WordsOf(padded[i], row)));
    }
    EXPECT_EQ(at, numbers.size());
  }
}

TEST(BatchWindows, AColumnWithoutLengthIsAnError) {
  BatchPlan plan = BucketedPlan(16, 1, 4);
  const auto create = [&](const char* graph) {
    return BatchMaker::Create(
               {.set = Shared(MakeSet(10)), .reader = ReadTexts, .graph = MakeGraph(graph)}, plan)
        .status();
  };
  plan.buckets->column = "input_missing";
  EXPECT_THAT(create(kTextGraph),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("input_missing")));
}

}  // namespace
}  // namespace tidemill::loader

#include "loader/batches/batch_stream.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "loader/fit.h"
#include "loader/testing/small_set.h"

namespace tidemill::loader {
namespace {

using namespace testing;  // NOLINT: the fixtures of this room.

std::vector<TrainingBatch> ReadAll(const TrainingSet& set, const BatchPlan& plan,
                                   const StreamOptions& options = {},
                                   const char* graph = kPlainGraph,
                                   std::shared_ptr<DecodedSamples> kept = nullptr) {
  auto stream = BatchStream::Create({.set = Shared(set),
                                     .reader = ReadSamples,
                                     .graph = MakeGraph(graph),
                                     .kept = std::move(kept)},
                                    plan, options);
  EXPECT_TRUE(stream.ok()) << stream.status().ToString();
  std::vector<TrainingBatch> batches;
  while (true) {
    auto next = (*stream)->Next();
    EXPECT_TRUE(next.ok()) << next.status().ToString();
    if (!next.ok() || !*next) return batches;
    batches.push_back(**std::move(next));
  }
}

TEST(BatchStream, BytesLabelWeightAndOrdinalOfAKeyNeverPart) {
  const TrainingSet set = MakeSet(1000);
  int64_t num_rows = 0;
  for (const TrainingBatch& batch : ReadAll(set, Plan(64, 2))) {
    const auto keys = batch.rows.keys();
    for (int64_t row = 0; row < batch.rows.num_rows(); ++row) {
      const int64_t ordinal = batch.rows.Find("ordinal")->Values<int64_t>()[row];
      ASSERT_EQ(keys[row], set.keys[ordinal]);
      ASSERT_EQ(batch.rows.Find("input")->Values<float>()[row], static_cast<float>(keys[row]));
      ASSERT_EQ(batch.rows.Find("target")->Values<int64_t>()[row], keys[row] % 5);
      ASSERT_EQ(batch.rows.Find("weight")->Values<float>()[row], set.weights[ordinal]);
      ++num_rows;
    }
  }
  EXPECT_GT(num_rows, 1500);
}

TEST(BatchStream, ConsumersThatTakeTurnsReadAllBatchesOfThePlan) {
  const TrainingSet set = MakeSet(300);
  BatchPlan plan = Plan(32, 2);
  plan.first_batch = 3;
  const std::vector<TrainingBatch> all = ReadAll(set, plan);
  for (const int64_t stride : {2, 3, 50}) {
    for (int64_t turn = 0; turn < stride; ++turn) {
      BatchPlan own = plan;
      own.first_batch += turn;
      size_t at = static_cast<size_t>(turn);
      for (const TrainingBatch& batch : ReadAll(set, own, {.stride = stride})) {
        ASSERT_LT(at, all.size());
        EXPECT_EQ(OrdinalsOf(batch), OrdinalsOf(all[at]));
        EXPECT_EQ(batch.index, all[at].index);
        at += static_cast<size_t>(stride);
      }
      EXPECT_GE(at, all.size());
    }
  }
}

TEST(BatchStream, EachEpochHasEveryReadableOrdinalOnceAndInAnotherOrder) {
  const TrainingSet set = MakeSet(500);
  std::set<int64_t> readable;
  for (int64_t ordinal = 0; ordinal < set.size(); ++ordinal) {
    const int64_t key = set.keys[ordinal];
    if (key % 13 != 0 && key % 17 != 0) readable.insert(ordinal);
  }
  std::map<int64_t, std::vector<int64_t>> epochs;
  std::map<int64_t, int64_t> skipped;
  for (const TrainingBatch& batch : ReadAll(set, Plan(32, 3))) {
    const std::vector<int64_t> ordinals = OrdinalsOf(batch);
    std::vector<int64_t>& epoch = epochs[batch.epoch];
    epoch.insert(epoch.end(), ordinals.begin(), ordinals.end());
    skipped[batch.epoch] += batch.num_skipped;
    EXPECT_EQ(batch.num_skipped > 0, !batch.reason.empty());
  }
  ASSERT_EQ(epochs.size(), 3u);
  for (const auto& [epoch, ordinals] : epochs) {
    EXPECT_EQ(std::set<int64_t>(ordinals.begin(), ordinals.end()), readable);
    EXPECT_EQ(ordinals.size(), readable.size());
    EXPECT_EQ(skipped[epoch], set.size() - static_cast<int64_t>(readable.size()));
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_FALSE(std::is_sorted(epochs[0].begin(), epochs[0].end()));
}

TEST(BatchStream, ABatchIsItsSliceOfThePermutationWithHolesThatNothingFills) {
  const TrainingSet set = MakeSet(300);
  BatchPlan plan = Plan(50, 1);
  const Permutation permutation(plan.shuffle, set.size());
  int64_t position = 0;
  for (const TrainingBatch& batch : ReadAll(set, plan)) {
    std::vector<int64_t> expected;
    for (const int64_t end = position + 50; position < end; ++position) {
      const int64_t key = set.keys[permutation(position)];
      if (key % 13 != 0 && key % 17 != 0) expected.push_back(permutation(position));
    }
    EXPECT_EQ(OrdinalsOf(batch), expected);
  }
  EXPECT_EQ(position, 300);
}

TEST(BatchStream, ThreadsAndMemoryDoNotChangeTheBatches) {
  const TrainingSet set = MakeSet(700);
  const std::vector<TrainingBatch> expected = ReadAll(set, Plan(16, 2));
  const auto found = std::make_shared<std::atomic<int>>(9);
  for (const StreamOptions& options :
       {StreamOptions{.num_threads = 4, .bytes_ahead = 1},
        StreamOptions{
            .num_threads = 2, .most_threads = 32, .found_threads = found, .bytes_ahead = 8192}}) {
    const std::vector<TrainingBatch> other = ReadAll(set, Plan(16, 2), options);
    ASSERT_EQ(other.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(OrdinalsOf(other[i]), OrdinalsOf(expected[i]));
    }
  }
}

TEST(BatchStream, AResumedStreamSeesTheBatchesThatWereLeft) {
  const TrainingSet set = MakeSet(333);
  const std::vector<TrainingBatch> whole = ReadAll(set, Plan(20, 2));
  for (const int64_t first : {1, 16, 17, 18, 34}) {
    BatchPlan plan = Plan(20, 2);
    plan.first_batch = first;
    const std::vector<TrainingBatch> rest = ReadAll(set, plan);
    ASSERT_EQ(rest.size(), whole.size() - first);
    for (size_t i = 0; i < rest.size(); ++i) {
      EXPECT_EQ(rest[i].epoch, whole[first + i].epoch);
      EXPECT_EQ(rest[i].index, whole[first + i].index);
      EXPECT_EQ(OrdinalsOf(rest[i]), OrdinalsOf(whole[first + i]));
    }
  }
}

// The inputs of a stream of random draws, by epoch and ordinal.
std::map<std::pair<int64_t, int64_t>, float> DrawsOf(const BatchPlan& plan,
                                                     const StreamOptions& options) {
  std::map<std::pair<int64_t, int64_t>, float> draws;
  for (const TrainingBatch& batch : ReadAll(MakeSet(300), plan, options, kRandomGraph)) {
    const std::vector<int64_t> ordinals = OrdinalsOf(batch);
    for (size_t row = 0; row < ordinals.size(); ++row) {
      draws[{batch.epoch, ordinals[row]}] = batch.rows.Find("input")->Values<float>()[row];
    }
  }
  return draws;
}

TEST(BatchStream, WhatRandomOpsDrawDependsOnTheSampleAndTheEpochAlone) {
  const auto expected = DrawsOf(Plan(300, 3), {});
  EXPECT_EQ(DrawsOf(Plan(7, 3), {}), expected);
  EXPECT_EQ(DrawsOf(Plan(64, 3), {.num_threads = 4, .bytes_ahead = 1}), expected);
  BatchPlan plan = Plan(7, 3);
  plan.order = models::InStreamOrder();
  EXPECT_EQ(DrawsOf(plan, {}), expected);
  plan.first_batch = 50;
  for (const auto& [place, drawn] : DrawsOf(plan, {})) EXPECT_EQ(expected.at(place), drawn);
  plan = Plan(7, 3);
  plan.shuffle.trigger = 4;
  EXPECT_NE(DrawsOf(plan, {}), expected);
  int num_changed = 0;
  for (const auto& [place, drawn] : expected) {
    const auto& [epoch, ordinal] = place;
    if (epoch > 0 && expected.at({epoch - 1, ordinal}) != drawn) ++num_changed;
  }
  EXPECT_GT(num_changed, 50) << "each epoch draws a new order";
}

TEST(BatchStream, HandsOverEveryInputColumnInItsType) {
  for (const TrainingBatch& batch : ReadAll(MakeSet(100), Plan(16, 1), {}, kRandomGraph)) {
    const auto keys = batch.rows.keys();
    const batch::Column* whole = batch.rows.Find("input_whole");
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(batch.rows.Find("a"), nullptr);
    const auto values = whole->Values<int64_t>();
    EXPECT_TRUE(std::equal(keys.begin(), keys.end(), values.begin(), values.end()));
  }
}

TEST(BatchStream, WithoutShufflingTheOrderIsThatOfTheSet) {
  BatchPlan plan = Plan(64, 1);
  plan.order = models::InStreamOrder();
  std::vector<int64_t> ordinals;
  for (const TrainingBatch& batch : ReadAll(MakeSet(200), plan)) {
    const std::vector<int64_t> more = OrdinalsOf(batch);
    ordinals.insert(ordinals.end(), more.begin(), more.end());
  }
  EXPECT_TRUE(std::is_sorted(ordinals.begin(), ordinals.end()));
}

TEST(BatchStream, AFailureOfTheStoreIsAFailureOfTheStream) {
  const SampleReader broken = [](std::span<const int64_t>, const SampleSink&) {
    return Unavailable("storage is away");
  };
  auto stream = BatchStream::Create({Shared(MakeSet(100)), broken, MakeGraph()}, Plan(10, 1), {});
  EXPECT_EQ((*stream)->Next().status().code(), absl::StatusCode::kUnavailable);
}

TEST(BatchStream, AStoreThatSendsOtherKeysIsCaught) {
  const SampleReader confused = [](std::span<const int64_t> keys, const SampleSink& sink) {
    std::vector<int64_t> others(keys.begin(), keys.end());
    std::reverse(others.begin(), others.end());
    return ReadSamples(others, sink);
  };
  auto stream =
      BatchStream::Create({Shared(MakeSet(100)), confused, MakeGraph()}, Plan(100, 1), {});
  EXPECT_EQ((*stream)->Next().status().code(), absl::StatusCode::kInternal);
}

TEST(BatchStream, AnAbandonedStreamEndsItsThreads) {
  auto stream =
      BatchStream::Create({Shared(MakeSet(5000)), ReadSamples, MakeGraph()}, Plan(10, 100), {});
  EXPECT_TRUE((*stream)->Next().ok());
}

TEST(FitGraph, LearnsFromReadableSamplesAndIsReproducible) {
  const auto graph = MakeGraph(kFittedGraph);
  const TrainingSet set = MakeSet(9000);
  const auto fitted = FitGraph(*graph, set, ReadSamples, {});
  ASSERT_TRUE(fitted.ok()) << fitted.status().ToString();
  EXPECT_EQ(
      FitGraph(*graph, set, ReadSamples, {.num_threads = 7, .bytes_ahead = 1})->state.digest(),
      fitted->state.digest())
      << "whoever reads ahead";
  const auto shared = std::make_shared<const transform::FittedState>(fitted->state);
  auto stream = BatchStream::Create({Shared(set), ReadSamples, graph, shared}, Plan(9000, 1), {});
  const auto batch = (*stream)->Next();
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  double sum = 0;
  for (const float value : (*batch)->rows.Find("input")->Values<float>()) sum += value;
  EXPECT_NEAR(sum / static_cast<double>((*batch)->rows.num_rows()), 0, 1e-4);
}

TEST(FitGraph, AGraphThatLearnsNothingReadsNothing) {
  const SampleReader broken = [](std::span<const int64_t>, const SampleSink&) {
    return Unavailable("storage is away");
  };
  EXPECT_TRUE(FitGraph(*MakeGraph(), MakeSet(10), broken, {}).ok());
}

TEST(BatchStream, ASubsetIsVisitedInEachEpochWithItsWeights) {
  const TrainingSet set = MakeSet(300);
  Subset subset;
  for (int64_t ordinal = 1; ordinal < 300; ordinal += 4) {
    subset.ordinals.push_back(ordinal);
    subset.weights.push_back(static_cast<float>(ordinal) / 8);
  }
  BatchPlan plan = Plan(16, 2);
  plan.subset = std::make_shared<const Subset>(subset);
  plan.first_epoch = 3;
  std::map<int64_t, std::set<int64_t>> by_epoch;
  int64_t num_skipped = 0;
  for (const TrainingBatch& batch : ReadAll(set, plan)) {
    num_skipped += batch.num_skipped;
    const auto weights = batch.rows.Find("weight")->Values<float>();
    const std::vector<int64_t> ordinals = OrdinalsOf(batch);
    for (size_t row = 0; row < ordinals.size(); ++row) {
      EXPECT_TRUE(by_epoch[batch.epoch].insert(ordinals[row]).second);
      EXPECT_EQ(ordinals[row] % 4, 1);
      EXPECT_EQ(weights[row], set.weights[ordinals[row]] * (static_cast<float>(ordinals[row]) / 8));
      EXPECT_EQ(batch.rows.keys()[row], set.keys[ordinals[row]]);
    }
  }
  EXPECT_EQ(by_epoch.size(), 2u);
  EXPECT_TRUE(by_epoch.contains(3) && by_epoch.contains(4));
  EXPECT_EQ(std::ssize(by_epoch[3]) * 2 + num_skipped, 2 * subset.size());
}

void ExpectEqual(const TrainingBatch& batch, const TrainingBatch& expected) {
  EXPECT_EQ(batch.epoch, expected.epoch);
  EXPECT_EQ(batch.index, expected.index);
  EXPECT_EQ(batch.num_skipped, expected.num_skipped);
  EXPECT_EQ(batch.reason.empty(), expected.reason.empty());
  for (const batch::Column& column : expected.rows.columns()) {
    const batch::Column* const other = batch.rows.Find(column.name);
    ASSERT_NE(other, nullptr) << column.name;
    EXPECT_EQ(other->data.view(), column.data.view()) << column.name;
  }
}

TEST(BatchStream, KeptSamplesChangeNoBatch) {
  const TrainingSet set = MakeSet(500);
  BatchPlan plan = Plan(16, 3);
  for (const bool draws : {false, true}) {
    if (draws) plan.draw = RepeatedDraw{.samples = 200};
    const auto expected = ReadAll(set, plan);
    for (const int64_t budget : {1, 2000, 1'000'000}) {
      for (const int num_threads : {1, 3}) {
        const auto kept = std::make_shared<DecodedSamples>(500, budget);
        const auto batches = ReadAll(set, plan, {.num_threads = num_threads, .bytes_ahead = 4000},
                                     kPlainGraph, kept);
        ASSERT_EQ(batches.size(), expected.size());
        for (size_t i = 0; i < batches.size(); ++i) ExpectEqual(batches[i], expected[i]);
      }
    }
  }
}

// Filtered samples are counted apart from bad ones, whether samples are kept between epochs or not.
TEST(BatchStream, WhatTheGraphFiltersIsCountedApart) {
  const TrainingSet set = MakeSet(500);
  int64_t num_bad = 0;
  int64_t num_filtered = 0;
  for (const int64_t key : set.keys) {
    const bool is_bad = key % 13 == 0 || key % 17 == 0;
    num_bad += is_bad ? 1 : 0;
    num_filtered += !is_bad && key % 3 == 0 ? 1 : 0;
  }
  constexpr char kGraph[] =
      "- parse_csv: {columns: [a]}\n- filter: a % 3 != 0\n- stack: {columns: all, into: input}\n"
      "- label: {into: target}\n";
  for (const int64_t budget : {0, 2000, 1 << 20}) {
    const auto kept = budget == 0 ? nullptr : std::make_shared<DecodedSamples>(500, budget);
    std::map<int64_t, std::pair<int64_t, int64_t>> holes;
    for (const TrainingBatch& batch : ReadAll(set, Plan(32, 3), {}, kGraph, kept)) {
      holes[batch.epoch].first += batch.num_skipped;
      holes[batch.epoch].second += batch.num_filtered;
      EXPECT_EQ(batch.num_skipped > 0, !batch.reason.empty());
    }
    ASSERT_EQ(holes.size(), 3U);
    for (const auto& [epoch, counts] : holes) {
      EXPECT_EQ(counts, std::pair(num_bad, num_filtered)) << budget << " " << epoch;
    }
  }
}

}  // namespace
}  // namespace tidemill::loader

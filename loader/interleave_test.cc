#include "loader/interleave.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "loader/batches/batch_stream.h"
#include "loader/testing/small_set.h"

namespace tidemill::loader {
namespace {

using namespace testing;  // NOLINT: the fixtures of this room.
using ::testing::ElementsAre;

TEST(Interleave, SpreadsTheBatchesOfEachSourceOverTheEpoch) {
  const std::vector<int64_t> sizes = {4, 2, 0, 1};
  const Interleave interleave(sizes);
  ASSERT_EQ(interleave.num_batches(), 7);
  std::vector<size_t> turns;
  for (int64_t index = 0; index < 7; ++index) turns.push_back(interleave.SourceOf(index));
  EXPECT_THAT(turns, ElementsAre(0, 1, 0, 3, 0, 1, 0));
}

TEST(Interleave, CountsWhatComesBeforeABatch) {
  const std::vector<int64_t> sizes = {100, 33, 7};
  const Interleave interleave(sizes);
  std::vector<int64_t> counts(3);
  for (int64_t number = 0; number < 3 * 140; ++number) {
    ASSERT_EQ(interleave.BeginsAt(number), counts) << number;
    ++counts[interleave.SourceOf(number % 140)];
  }
}

TEST(Interleave, OfNothingIsEmpty) {
  const std::vector<int64_t> sizes = {0, 0};
  EXPECT_EQ(Interleave(sizes).num_batches(), 0);
  EXPECT_THAT(Interleave(sizes).BeginsAt(0), ElementsAre(0, 0));
  std::vector<std::unique_ptr<BatchSource>> sources(2);
  EXPECT_FALSE(InterleavedSource(std::move(sources), Interleave(sizes), 0, 0).Next()->has_value());
}

// A set in three shards of 250, 130 and 20 samples.
class InterleavedSourceTest : public ::testing::Test {
 protected:
  InterleavedSourceTest() {
    const std::vector<std::pair<int64_t, int64_t>> ranges = {{0, 250}, {250, 380}, {380, 400}};
    for (const auto& [from, to] : ranges) {
      auto subset = std::make_shared<Subset>();
      for (int64_t ordinal = from; ordinal < to; ++ordinal) subset->ordinals.push_back(ordinal);
      shards_.push_back(std::move(subset));
    }
  }

  BatchPlan PlanOf(size_t shard) const {
    BatchPlan plan = Plan(16, 3);
    plan.subset = shards_[shard];
    plan.part = static_cast<int64_t>(shard);
    return plan;
  }

  // Epoch, index and ordinals of each batch.
  using Seen = std::tuple<int64_t, int64_t, std::vector<int64_t>>;
  std::vector<Seen> ReadFrom(int64_t first_batch) const {
    std::vector<int64_t> sizes;
    for (const auto& shard : shards_) sizes.push_back((shard->size() + 15) / 16);
    Interleave interleave(sizes);
    const std::vector<int64_t> begins = interleave.BeginsAt(first_batch);
    std::vector<std::unique_ptr<BatchSource>> sources;
    for (size_t shard = 0; shard < shards_.size(); ++shard) {
      BatchPlan plan = PlanOf(shard);
      plan.first_batch = begins[shard];
      sources.push_back(
          begins[shard] == 3 * sizes[shard]
              ? nullptr
              : BatchStream::Create(
                    {.set = Shared(MakeSet(400)), .reader = ReadSamples, .graph = MakeGraph()},
                    plan, {.num_threads = 1})
                    .value());
    }
    InterleavedSource source(std::move(sources), std::move(interleave), 400, first_batch);
    EXPECT_EQ(source.num_batches(), 16 + 9 + 2);
    std::vector<Seen> seen;
    while (const auto next = source.Next().value()) {
      seen.emplace_back(next->epoch, next->index, OrdinalsOf(*next));
    }
    return seen;
  }

  std::vector<std::shared_ptr<const Subset>> shards_;
};

TEST_F(InterleavedSourceTest, GivesEveryBatchOfEachSourceNumberedAnew) {
  const std::vector<Seen> seen = ReadFrom(0);
  ASSERT_EQ(seen.size(), 3u * 27);
  std::map<int64_t, std::vector<int64_t>> by_epoch;
  for (size_t i = 0; i < seen.size(); ++i) {
    const auto& [epoch, index, ordinals] = seen[i];
    EXPECT_EQ(epoch, static_cast<int64_t>(i) / 27);
    EXPECT_EQ(index, static_cast<int64_t>(i) % 27);
    for (const int64_t ordinal : ordinals) by_epoch[epoch].push_back(ordinal);
  }
  std::vector<int64_t> expected;
  const TrainingSet set = MakeSet(400);
  for (int64_t ordinal = 0; ordinal < 400; ++ordinal) {
    const int64_t key = set.keys[static_cast<size_t>(ordinal)];
    if (key % 13 != 0 && key % 17 != 0) expected.push_back(ordinal);
  }
  for (const auto& [epoch, ordinals] : by_epoch) {
    EXPECT_THAT(ordinals, ::testing::UnorderedElementsAreArray(expected)) << "each sample once";
  }
}

TEST_F(InterleavedSourceTest, ContinuesAtEveryPosition) {
  const std::vector<Seen> whole = ReadFrom(0);
  for (size_t first = 0; first < whole.size(); ++first) {
    const std::vector<Seen> rest = ReadFrom(static_cast<int64_t>(first));
    ASSERT_TRUE(std::ranges::equal(rest, std::span(whole).subspan(first))) << first;
  }
}

}  // namespace
}  // namespace tidemill::loader

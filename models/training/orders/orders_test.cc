#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/threads/worker_pool.h"
#include "config/testing/not_tried.h"
#include "models/training/orders/block_order.h"
#include "models/training/orders/full_order.h"
#include "models/training/orders/no_order.h"
#include "models/training/orders/order_spec.h"
#include "models/training/orders/reservoir_order.h"
#include "models/training/orders/testing/epochs.h"

namespace tidemill::models {
namespace {

using testing::Epoch;
using testing::kKey;

struct Case {
  std::string name;
  OrderSpec spec;
};

std::vector<int64_t> Epoch(const OrderSpec& spec, int64_t epoch, int64_t size,
                           const RandomKey& key = kKey) {
  return Epoch(*spec->MakeEpochOrder(key, size), epoch, size);
}

class EpochOrderTest : public ::testing::TestWithParam<Case> {};

std::vector<Case> AllCases() {
  return {Case{"none", NoOrder{}},
          Case{"full", FullOrder{}},
          Case{"block", BlockOrder{.samples = {7}, .window = {50}}},
          Case{"blocks_larger_than_windows", BlockOrder{.samples = {64}, .window = {5}}},
          Case{"one_block", BlockOrder{.samples = {100'000}, .window = {100'000}}},
          Case{"reservoir", ReservoirOrder{.samples = {37}}},
          Case{"reservoir_of_one", ReservoirOrder{.samples = {1}}},
          Case{"reservoir_of_all", ReservoirOrder{.samples = {1'000'000}}}};
}

INSTANTIATE_TEST_SUITE_P(Orders, EpochOrderTest, ::testing::ValuesIn(AllCases()),
                         [](const auto& test) { return test.param.name; });

TEST(Orders, AreAllTried) {
  std::vector<OrderSpec> orders;
  for (const Case& one : AllCases()) orders.push_back(one.spec);
  EXPECT_THAT(config::testing::NotTried(orders), ::testing::IsEmpty());
}

TEST_P(EpochOrderTest, VisitsEachOrdinalOnce) {
  for (const int64_t size : {1, 2, 6, 7, 8, 37, 63, 1000, 1024, 1037}) {
    std::vector<int64_t> ordinals = Epoch(GetParam().spec, 2, size);
    std::sort(ordinals.begin(), ordinals.end());
    std::vector<int64_t> all(static_cast<size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(ordinals, all) << size;
  }
}

TEST_P(EpochOrderTest, IsAFunctionOfSeedTriggerAndEpoch) {
  constexpr int64_t kSize = 1037;
  const std::vector<int64_t> ordinals = Epoch(GetParam().spec, 1, kSize);
  EXPECT_EQ(Epoch(GetParam().spec, 1, kSize), ordinals);
  const bool moves = ordinals != Epoch(NoOrder{}, 1, kSize);
  const auto differs = [&](const std::vector<int64_t>& other) {
    return moves ? other != ordinals : other == ordinals;
  };
  EXPECT_TRUE(differs(Epoch(GetParam().spec, 2, kSize)));
  EXPECT_TRUE(differs(Epoch(GetParam().spec, 1, kSize, {8, "shuffle", 3})));
  EXPECT_TRUE(differs(Epoch(GetParam().spec, 1, kSize, {7, "shuffle", 4})));
  EXPECT_TRUE(differs(Epoch(GetParam().spec, 1, kSize, {7, "measure", 3})));
}

// As a resumed training asks, and threads that are not quite in step.
TEST_P(EpochOrderTest, AnswersTheSameWhateverWasAskedBefore) {
  constexpr int64_t kSize = 1037;
  std::map<int64_t, std::vector<int64_t>> expected;
  for (const int64_t epoch : {0, 1, 2, 5}) expected[epoch] = Epoch(GetParam().spec, epoch, kSize);
  const auto order = GetParam().spec->MakeEpochOrder(kKey, kSize);
  for (const auto& [epoch, from, count] : std::vector<std::array<int64_t, 3>>{{1, 900, 137},
                                                                              {2, 0, 10},
                                                                              {1, 400, 500},
                                                                              {0, 1, 3},
                                                                              {2, 10, 1},
                                                                              {5, 1036, 1},
                                                                              {1, 0, 1037},
                                                                              {0, 0, 0}}) {
    std::vector<int64_t> piece(static_cast<size_t>(count));
    order->Get(epoch, from, piece);
    ASSERT_TRUE(std::equal(piece.begin(), piece.end(), expected[epoch].begin() + from))
        << "epoch " << epoch << " from " << from;
  }
}

TEST_P(EpochOrderTest, AnswersTheSameToManyThreads) {
  constexpr int64_t kSize = 100'003;
  constexpr int64_t kPiece = 1000;
  const auto order = GetParam().spec->MakeEpochOrder(kKey, kSize);
  std::vector<int64_t> ordinals(kSize);
  WorkerPool pool("test", 3);
  pool.ParallelFor((kSize + kPiece - 1) / kPiece, [&](int64_t number) {
    const int64_t from = number * kPiece;
    order->Get(4, from, std::span(ordinals).subspan(from, std::min(kPiece, kSize - from)));
  });
  EXPECT_EQ(ordinals, Epoch(GetParam().spec, 4, kSize));
}

TEST(FullOrder, IsThePermutationThatItAlwaysWas) {
  RandomKey key = kKey;
  key.epoch = 3;
  const Permutation permutation(key, 1000);
  const std::vector<int64_t> ordinals = Epoch(FullOrder{}, 3, 1000);
  for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(ordinals[i], permutation(i));
}

TEST(BlockOrder, KeepsNeighboursWithinAWindow) {
  constexpr int64_t kSize = 100'010;
  const std::vector<int64_t> ordinals =
      Epoch(BlockOrder{.samples = {100}, .window = {1000}}, 0, kSize);
  // A window holds ten or, around the short block, up to twelve blocks; an order of all samples
  // would have a thousand.
  size_t moved = 0;
  for (int64_t from = 0; from + 1000 <= kSize; from += 1000) {
    std::set<int64_t> blocks;
    for (int64_t i = from; i < from + 1000; ++i) blocks.insert(ordinals[i] / 100);
    ASSERT_LE(blocks.size(), 12);
    if (*blocks.rbegin() - *blocks.begin() > 100) ++moved;
    EXPECT_FALSE(std::is_sorted(ordinals.begin() + from, ordinals.begin() + from + 1000));
  }
  EXPECT_GT(moved, 90);  // The blocks themselves come from everywhere.
}

TEST(ReservoirOrder, NeverReachesBeyondItsBuffer) {
  constexpr int64_t kSize = 20'000;
  const std::vector<int64_t> ordinals = Epoch(ReservoirOrder{.samples = {500}}, 0, kSize);
  double delay = 0;
  for (int64_t i = 0; i < kSize; ++i) {
    ASSERT_LT(ordinals[i], i + 500);
    delay += static_cast<double>(std::abs(i - ordinals[i]));
  }
  EXPECT_GT(delay / kSize, 250);  // A sample waits for 500 on average, but none leaves earlier.
  EXPECT_LT(delay / kSize, 500);
}

}  // namespace
}  // namespace tidemill::models

#include "loader/plan/drawn_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "gtest/gtest.h"

#include "models/training/orders/block_order.h"
#include "models/training/orders/full_order.h"
#include "models/training/orders/no_order.h"
#include "models/training/orders/testing/epochs.h"

namespace tidemill::loader {
namespace {

using models::BlockOrder;
using models::FullOrder;
using models::NoOrder;
using models::OrderSpec;
using models::testing::Epoch;
using models::testing::kKey;

TEST(DrawnOrder, WithoutReplacementEpochsAreDisjointUntilTooFewAreLeft) {
  for (const OrderSpec& spec : {OrderSpec(FullOrder{}), OrderSpec(NoOrder{}),
                                OrderSpec(BlockOrder{.samples = {3}, .window = {4}})}) {
    const auto order = MakeDrawnOrder(spec, kKey, 103, {.samples = 20});
    std::set<int64_t> left_out;
    for (int64_t round = 0; round < 20; ++round) {
      std::set<int64_t> seen;
      for (int64_t epoch = 5 * round; epoch < 5 * round + 5; ++epoch) {
        for (const int64_t ordinal : Epoch(*order, epoch, 20)) {
          EXPECT_TRUE(seen.insert(ordinal).second);
        }
      }
      EXPECT_EQ(seen.size(), 100u);
      for (int64_t ordinal = 0; ordinal < 103; ++ordinal) {
        if (!seen.contains(ordinal)) left_out.insert(ordinal);
      }
    }
    EXPECT_GT(left_out.size(), 20u) << "others are left over in each round";
  }
}

TEST(DrawnOrder, WithReplacementASampleIsDrawnAsOftenAsItsShare) {
  constexpr int64_t kEpochs = 4000;
  const auto order = MakeDrawnOrder(FullOrder{}, kKey, 50, {.samples = 10, .replacement = true});
  std::map<int64_t, int> counts;
  for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const std::vector<int64_t> drawn = Epoch(*order, epoch, 10);
    EXPECT_EQ(std::set(drawn.begin(), drawn.end()).size(), 10u);
    for (const int64_t ordinal : drawn) ++counts[ordinal];
  }
  // Binomial with mean 800 and variance 640: five standard deviations are 127.
  for (int64_t ordinal = 0; ordinal < 50; ++ordinal) EXPECT_NEAR(counts[ordinal], 800, 127);
}

TEST(DrawnOrder, AnyPieceIsThatOfTheWhole) {
  for (const OrderSpec& spec : {OrderSpec(FullOrder{}), OrderSpec(NoOrder{})}) {
    const auto order = MakeDrawnOrder(spec, kKey, 103, {.samples = 20});
    const std::vector<int64_t> whole = Epoch(*order, 7, 20);
    std::vector<int64_t> piece(6);
    order->Get(2, 0, piece);
    order->Get(7, 9, piece);
    EXPECT_EQ(piece, std::vector<int64_t>(whole.begin() + 9, whole.begin() + 15));
    EXPECT_EQ(std::is_sorted(whole.begin(), whole.end()), spec->KeepsStream());
  }
}

}  // namespace
}  // namespace tidemill::loader

#include "loader/batches/mixed_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/threads/worker_pool.h"
#include "models/training/orders/testing/epochs.h"

namespace tidemill::loader {
namespace {

using models::MixMode;
using models::testing::Epoch;
using models::testing::kKey;

// Sources with these numbers of samples, one after another.
std::shared_ptr<const SampleSources> SourcesOf(const std::vector<int64_t>& sizes,
                                               const std::vector<double>& weights,
                                               MixMode mode = MixMode::kStratified) {
  auto sources = std::make_shared<SampleSources>();
  sources->mode = mode;
  int64_t first = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::vector<int64_t> ordinals(static_cast<size_t>(sizes[i]));
    std::iota(ordinals.begin(), ordinals.end(), first);
    first += sizes[i];
    sources->sources.push_back({weights[i], std::move(ordinals)});
  }
  return sources;
}

int64_t CountBelow(std::span<const int64_t> ordinals, int64_t end) {
  return std::ranges::count_if(ordinals, [&](int64_t ordinal) { return ordinal < end; });
}

TEST(MixedOrder, AQuarterOfThirtyTwoIsEightInEveryBatch) {
  constexpr int64_t kSize = 3200;
  for (const auto& [weights, first] :
       std::map<std::vector<double>, int64_t>{{{1, 3}, 300}, {{25, 75}, 2000}, {{0.1, 0.3}, 5}}) {
    const auto order = MakeMixedOrder(SourcesOf({first, kSize - first}, weights), kKey, 32, kSize);
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      const std::vector<int64_t> ordinals = Epoch(*order, epoch, kSize);
      for (int64_t batch = 0; batch < kSize / 32; ++batch) {
        ASSERT_EQ(CountBelow(std::span(ordinals).subspan(batch * 32, 32), first), 8)
            << "epoch " << epoch << " batch " << batch;
      }
    }
  }
}

TEST(MixedOrder, SlicesOfABatchAreMixedAsWellAndTogetherAreTheBatch) {
  constexpr int64_t kSize = 3200;
  const auto order = MakeMixedOrder(SourcesOf({400, kSize - 400}, {1, 3}), kKey, 32, kSize);
  const std::vector<int64_t> ordinals = Epoch(*order, 0, kSize);
  for (int64_t from = 0; from < kSize; from += 8) {
    const int64_t count = CountBelow(std::span(ordinals).subspan(from, 8), 400);
    ASSERT_GE(count, 1) << from;
    ASSERT_LE(count, 3) << from;
  }
}

TEST(MixedOrder, AFractionalShareIsRoundedEitherWayAndMetOnAverage) {
  constexpr int64_t kSize = 64'000;
  constexpr int64_t kBatch = 16;
  const std::vector<double> weights = {1, 2, 4};  // 2.29, 4.57 and 9.14 of 16.
  const auto order = MakeMixedOrder(SourcesOf({100, 30'000, 33'900}, weights), kKey, kBatch, kSize);
  const std::vector<int64_t> ordinals = Epoch(*order, 1, kSize);
  std::vector<double> totals(3);
  for (int64_t from = 0; from < kSize; from += kBatch) {
    const auto batch = std::span(ordinals).subspan(from, kBatch);
    const int64_t first = CountBelow(batch, 100);
    const int64_t second = CountBelow(batch, 30'100) - first;
    const std::vector<int64_t> counts = {first, second, kBatch - first - second};
    for (size_t i = 0; i < counts.size(); ++i) {
      const double share = kBatch * weights[i] / 7;
      ASSERT_GE(counts[i], std::floor(share));
      ASSERT_LE(counts[i], std::ceil(share));
      totals[i] += static_cast<double>(counts[i]);
    }
  }
  // A batch is off by less than one, so 4000 batches are by less than 4 sigma = 4 sqrt(4000 / 4).
  for (size_t i = 0; i < totals.size(); ++i) {
    EXPECT_NEAR(totals[i], kSize * weights[i] / 7, 4 * std::sqrt(1000.0)) << i;
  }
}

TEST(MixedOrder, RandomSourcesComeByTheirWeights) {
  constexpr int64_t kSize = 50'000;
  const std::vector<double> weights = {0.5, 3, 1.5, 5};
  const auto sources = SourcesOf({10, 100, 1000, 48'890}, weights, MixMode::kRandom);
  // The 0.99 quantile of chi squared of 3 degrees of freedom.
  constexpr double kCritical = 11.345;
  for (const int64_t seed : {1, 2, 3, 4, 5}) {
    RandomKey key = kKey;
    key.seed = seed;
    const std::vector<int64_t> ordinals = Epoch(*MakeMixedOrder(sources, key, 32, kSize), 0, kSize);
    double chi_squared = 0;
    int64_t below = 0;
    const std::vector<int64_t> ends = {10, 110, 1110, kSize};
    for (size_t i = 0; i < weights.size(); ++i) {
      const int64_t count =
          CountBelow(ordinals, ends[i]) - std::exchange(below, CountBelow(ordinals, ends[i]));
      const double expected = kSize * weights[i] / 10;
      chi_squared += (static_cast<double>(count) - expected) *
                     (static_cast<double>(count) - expected) / expected;
    }
    EXPECT_LT(chi_squared, kCritical) << "seed " << seed;
  }
}

class MixedOrderMode : public ::testing::TestWithParam<MixMode> {};

INSTANTIATE_TEST_SUITE_P(Modes, MixedOrderMode,
                         ::testing::Values(MixMode::kStratified, MixMode::kRandom));

TEST_P(MixedOrderMode, NoSampleOfASourceIsRepeatedBeforeAllOfItWereGiven) {
  constexpr int64_t kSize = 1000;
  constexpr int64_t kSmall = 13;
  const auto sources = SourcesOf({kSmall, kSize - kSmall}, {1, 1}, GetParam());
  const auto order = MakeMixedOrder(sources, kKey, 20, kSize);
  std::vector<std::vector<int64_t>> rounds;
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    std::vector<int64_t> given;
    std::set<int64_t> large;
    for (const int64_t ordinal : Epoch(*order, epoch, kSize)) {
      if (ordinal < kSmall) {
        given.push_back(ordinal);
      } else {
        EXPECT_TRUE(large.insert(ordinal).second) << "there are enough of them";
      }
    }
    ASSERT_GT(std::ssize(given), 30 * kSmall);
    for (size_t from = 0; from + kSmall <= given.size(); from += kSmall) {
      const auto at = given.begin() + static_cast<int64_t>(from);
      rounds.emplace_back(at, at + int64_t{kSmall});
      EXPECT_EQ(std::set<int64_t>(rounds.back().begin(), rounds.back().end()).size(), kSmall);
    }
  }
  EXPECT_GT(std::set(rounds.begin(), rounds.end()).size(), rounds.size() - 2)
      << "each round has its own order";
}

TEST_P(MixedOrderMode, IsAFunctionOfSeedTriggerAndEpoch) {
  constexpr int64_t kSize = 1037;
  const auto sources = SourcesOf({37, 1000}, {1, 3}, GetParam());
  const auto epoch_of = [&](const RandomKey& key, int64_t epoch) {
    return Epoch(*MakeMixedOrder(sources, key, 32, kSize), epoch, kSize);
  };
  const std::vector<int64_t> ordinals = epoch_of(kKey, 1);
  EXPECT_EQ(epoch_of(kKey, 1), ordinals);
  EXPECT_NE(epoch_of(kKey, 2), ordinals);
  EXPECT_NE(epoch_of({8, "shuffle", 3}, 1), ordinals);
  EXPECT_NE(epoch_of({7, "shuffle", 4}, 1), ordinals);
}

// As resumed trainings, threads and workers ask.
TEST_P(MixedOrderMode, IsTheSameWhateverIsAskedBeforeAndByHowManyThreads) {
  constexpr int64_t kSize = 1037;
  const auto sources = SourcesOf({37, 1000}, {1, 3}, GetParam());
  std::vector<std::vector<int64_t>> epochs;
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    epochs.push_back(Epoch(*MakeMixedOrder(sources, kKey, 32, kSize), epoch, kSize));
  }
  const auto order = MakeMixedOrder(sources, kKey, 32, kSize);
  WorkerPool pool("askers", 4);
  for (int asker = 0; asker < 8; ++asker) {
    pool.Submit([&, asker] {
      for (int64_t i = 0; i < 300; ++i) {
        const int64_t epoch = (i * 7 + asker) % 4;
        const int64_t from = i * 131 % (kSize - 20);
        std::vector<int64_t> piece(20);
        order->Get(epoch, from, piece);
        EXPECT_TRUE(std::ranges::equal(
            piece, std::span(epochs[static_cast<size_t>(epoch)]).subspan(from, 20)));
      }
    });
  }
}

TEST(MixedOrder, TheLastBatchHasItsSharesToo) {
  const auto order = MakeMixedOrder(SourcesOf({50, 50}, {1, 1}), kKey, 32, 100);
  const std::vector<int64_t> ordinals = Epoch(*order, 0, 100);
  EXPECT_EQ(CountBelow(std::span(ordinals).subspan(96), 50), 2);
}

TEST(MixedOrder, ManySourcesThatAreLargerThanABatchComeInTurn) {
  // 64 sources in batches of 10: none has more than one sample in any.
  const std::vector<int64_t> sizes(64, 10);
  const auto order = MakeMixedOrder(SourcesOf(sizes, std::vector<double>(64, 1)), kKey, 10, 640);
  const std::vector<int64_t> ordinals = Epoch(*order, 0, 640);
  for (int64_t from = 0; from < 640; from += 10) {
    std::set<int64_t> sources;
    for (int64_t i = from; i < from + 10; ++i) sources.insert(ordinals[i] / 10);
    EXPECT_EQ(sources.size(), 10u);
  }
}

}  // namespace
}  // namespace tidemill::loader

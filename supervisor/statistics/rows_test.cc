#include "supervisor/statistics/rows.h"

#include <limits>
#include <numeric>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/statistics/testing/draws.h"

namespace tidemill::supervisor::statistics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

TEST(Rows, AreRefusedWhereStatisticsAreUndefined) {
  const std::vector<double> four = {1, 2, 3, 4};
  const std::vector<double> odd = {1, 2, std::numeric_limits<double>::quiet_NaN(), 4};
  EXPECT_THAT(CheckSamples({four, 2}, {four, 2}), IsOk());
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(CheckSamples({{}, 2}, {four, 2}), StatusIs(kInvalid, HasSubstr("no rows")));
  EXPECT_THAT(CheckSamples({four, 3}, {four, 3}), StatusIs(kInvalid, HasSubstr("not a multiple")));
  EXPECT_THAT(CheckSamples({four, 2}, {four, 4}), StatusIs(kInvalid, HasSubstr("2 columns")));
  EXPECT_THAT(CheckSamples({four, 2}, {odd, 2}),
              StatusIs(kInvalid, HasSubstr("row 1, column 0 of the current window is nan")));
}

TEST(Rows, GiveColumnsAndSelectedRows) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const Rows rows = {values, 2};
  EXPECT_THAT(ColumnOf(rows, 1), ElementsAre(2, 4, 6));
  const std::vector<int64_t> numbers = {2, 0};
  EXPECT_THAT(Gather(rows, numbers), ElementsAre(5, 6, 1, 2));
  EXPECT_THAT(Pool(rows, {values, 2}), ::testing::SizeIs(12));
}

TEST(Rows, AreSubsampledWithoutReplacementInTheirOrder) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 0.0);
  const RandomKey key = {.seed = 3, .purpose = "test"};
  const std::vector<double> drawn = Subsample({values, 1}, 10, key);
  EXPECT_EQ(drawn.size(), 10);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()).size(), 10);
  EXPECT_EQ(Subsample({values, 1}, 10, key), drawn);
  EXPECT_EQ(Subsample({values, 1}, 100, key), values);
}

TEST(DrawFirst, DrawsEachSubsetEquallyOften) {
  // 10 subsets of 2 of 5.
  std::vector<int64_t> counts(25, 0);
  for (int64_t epoch = 0; epoch < 10'000; ++epoch) {
    std::vector<int64_t> numbers = {0, 1, 2, 3, 4};
    DrawFirst(numbers, 2, {.seed = 1, .purpose = "test", .epoch = epoch});
    const auto [low, high] = std::minmax(numbers[0], numbers[1]);
    ++counts[static_cast<size_t>(low * 5 + high)];
  }
  std::erase(counts, 0);
  EXPECT_THAT(counts, ::testing::SizeIs(10));
  EXPECT_GT(testing::EvennessP(counts), 1e-3);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

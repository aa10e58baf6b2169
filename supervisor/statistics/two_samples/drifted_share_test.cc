#include "supervisor/statistics/two_samples/drifted_share.h"

#include <cmath>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace tidemill::supervisor::statistics {
namespace {

TEST(DriftScore, IsWhatThatManyColumnsHaveReached) {
  const double none = std::nan("");
  const DriftScore score = {.score = .9,
                            .p_value = .001,
                            .columns = {.2, none, .9, .5, .1},
                            .column_p_values = {.3, none, .001, .02, .8}};
  // The share of the four that were compared.
  EXPECT_EQ(NumOfShare(score, .01), 1);
  EXPECT_EQ(NumOfShare(score, .5), 2);
  EXPECT_EQ(NumOfShare(score, .51), 3);
  EXPECT_EQ(NumOfShare(score, 1), 4);
  EXPECT_EQ(ReachedBy(1, score).score, .9);
  EXPECT_EQ(ReachedBy(1, score).p_value, .001);
  EXPECT_EQ(ReachedBy(2, score).score, .5);
  EXPECT_EQ(ReachedBy(2, score).p_value, .02);
  EXPECT_EQ(ReachedBy(4, score).score, .1);
  EXPECT_EQ(ReachedBy(4, score).p_value, .8);
  const DriftScore ten = {.columns = std::vector<double>(10, .5)};
  EXPECT_EQ(NumOfShare(ten, .3), 3);
  EXPECT_EQ(ReachedBy(3, ten).p_value, std::nullopt);
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

#include "evaluator/measures/classes/top_k.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/config.h"
#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {
namespace {

using ::testing::Optional;

std::optional<double> ShareOf(int64_t k, const std::vector<int32_t>& places,
                              const std::vector<uint8_t>& weights = {}) {
  return MeasureSpec(TopK{.k = k})->ValueOf({.true_places = places, .weights = weights});
}

TEST(TopK, IsTheShareOfTrueClassesAmongTheFirstK) {
  const std::vector<int32_t> places = {0, 1, 2, 0};
  EXPECT_THAT(ShareOf(1, places), Optional(0.5));
  EXPECT_THAT(ShareOf(2, places), Optional(0.75));
  EXPECT_THAT(ShareOf(3, places), Optional(1.0));
  EXPECT_THAT(ShareOf(2, places, {0, 3, 1, 0}), Optional(0.75));
  EXPECT_EQ(ShareOf(2, {}), std::nullopt);
}

TEST(TopK, IsNamedByItsK) { EXPECT_EQ(TopK{.k = 3}.Name(), "top_3"); }

}  // namespace
}  // namespace tidemill::evaluator

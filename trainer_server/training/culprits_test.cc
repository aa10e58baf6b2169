#include "trainer_server/training/culprits.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<int64_t> Find(const std::vector<double>& losses,
                          std::optional<double> usual = std::nullopt) {
  return FindCulprits(losses, usual);
}

TEST(Culprits, AreRowsWhoseLossIsNotANumberOrBeyondAllMeasure) {
  EXPECT_THAT(Find({0.7, kInfinite, 0.6, 0.1}), ElementsAre(1));
  EXPECT_THAT(Find({kNan, 0.7, 0.6, 0.1}), ElementsAre(0));
  EXPECT_THAT(Find({0.7, 0.6, 3e29, 0.1}), ElementsAre(2));
  EXPECT_THAT(Find({-4e25, 0.6, 3e29, 0.1, 0.2}), ElementsAre(0, 2));
}

TEST(Culprits, AreNotRowsThatAreMerelyHard) {
  EXPECT_THAT(Find({0.7, 0.6, 1e12, 0.1}), IsEmpty());
  EXPECT_THAT(Find({0, 0, 0, 1e17}), IsEmpty());
  // Targets that are not scaled.
  EXPECT_THAT(Find({1e20, 3e22, 1e24, 5e19}), IsEmpty());
}

TEST(Culprits, AreNoneWhereTheWeightsHaveRunAway) {
  EXPECT_THAT(Find({kInfinite, kInfinite, 0.5, kNan}), IsEmpty()) << "most of the batch";
  EXPECT_THAT(Find({kInfinite, kInfinite, kInfinite}), IsEmpty());
  EXPECT_THAT(Find({1e36, 2e37, kInfinite, 3e36}), IsEmpty()) << "the others are as bad";
  EXPECT_THAT(Find({}), IsEmpty());
}

TEST(Culprits, OfFewRowsAreFoundByWhatWasUsualBefore) {
  EXPECT_THAT(Find({kInfinite}, 0.7), ElementsAre(0));
  EXPECT_THAT(Find({1e29, 0.5}, 0.7), ElementsAre(0));
  EXPECT_THAT(Find({0.5}, 0.7), IsEmpty());
  EXPECT_THAT(Find({kInfinite}), IsEmpty()) << "nothing is known yet";
  EXPECT_THAT(Find({kInfinite}, 1e30), IsEmpty()) << "nothing was healthy before";
}

TEST(Culprits, AreLookedForOnlyWhereABatchIsOutOfTheOrdinary) {
  EXPECT_FALSE(IsSuspicious(2.3));
  EXPECT_FALSE(IsSuspicious(-1e8));
  EXPECT_TRUE(IsSuspicious(1e12));
  EXPECT_TRUE(IsSuspicious(kNan));
  EXPECT_TRUE(IsSuspicious(-kInfinite));
}

}  // namespace
}  // namespace tidemill::trainer_server

#include "trainer_server/training/pace/loss_scale.h"

#include "gtest/gtest.h"

namespace tidemill::trainer_server {
namespace {

TEST(LossScale, HalvesAtEachStepWhoseGradientsAreNotFinite) {
  LossScale scale;
  EXPECT_TRUE(scale.Note(false));
  EXPECT_TRUE(scale.Note(false));
  EXPECT_EQ(scale.factor, LossScale::kFirst / 4);
}

TEST(LossScale, DoublesAfterManyGoodStepsInARow) {
  LossScale scale;
  for (int64_t step = 1; step < LossScale::kGrowAfter; ++step) EXPECT_TRUE(scale.Note(true));
  EXPECT_EQ(scale.factor, LossScale::kFirst);
  EXPECT_TRUE(scale.Note(true));
  EXPECT_EQ(scale.factor, 2 * LossScale::kFirst);
  scale.Note(false);
  EXPECT_EQ(scale, (LossScale{.factor = LossScale::kFirst, .good_steps = 0}));
}

TEST(LossScale, StaysWithinItsBounds) {
  LossScale scale{.factor = LossScale::kMost};
  for (int64_t step = 0; step < 2 * LossScale::kGrowAfter; ++step) scale.Note(true);
  EXPECT_EQ(scale.factor, LossScale::kMost);
  scale = {.factor = LossScale::kLeast};
  EXPECT_FALSE(scale.Note(false)) << "the factor is not to blame";
  EXPECT_EQ(scale.factor, LossScale::kLeast);
}

}  // namespace
}  // namespace tidemill::trainer_server

#include "trainer_server/training/learnable_batches.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "models/training/losses/losses.h"
#include "trainer_server/testing/memory_source.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename T>
std::vector<int64_t> ForeignRows(const std::vector<T>& targets, const models::LossSpec& loss,
                                 int64_t outputs, int64_t width = 1) {
  batch::Batch rows(static_cast<int64_t>(targets.size()) / width);
  std::vector<int64_t> shape;
  if (width > 1) shape.push_back(width);
  EXPECT_TRUE(rows.Set(batch::MakeColumn<T>("target", targets, shape)).ok());
  std::vector<int64_t> found;
  for (const ForeignTarget& target : FindForeignTargets(rows, loss, outputs)) {
    found.push_back(target.row);
  }
  return found;
}

TEST(ForeignTargets, AreClassesThatTheModelHasNoOutputFor) {
  EXPECT_THAT(ForeignRows<int64_t>({0, 7, 1, -1, 2}, models::CrossEntropy{}, 2),
              ElementsAre(1, 3, 4));
  EXPECT_THAT(ForeignRows<int64_t>({0, 1, 2}, models::BceWithLogits{}, 1), ElementsAre(2));
  EXPECT_THAT(ForeignRows<int64_t>({0, 1, 2}, models::CrossEntropy{}, 3), IsEmpty());
}

TEST(ForeignTargets, AreRealValuesThatAreNotNumbers) {
  constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
  constexpr float kUnbounded = std::numeric_limits<float>::infinity();
  EXPECT_THAT(ForeignRows<float>({0.5f, kNoNumber, -kUnbounded, 1e30f}, models::Mse{}, 1),
              ElementsAre(1, 2));
  EXPECT_THAT(ForeignRows<float>({1, 2, 3, kNoNumber}, models::Mse{}, 2, 2), ElementsAre(1));
}

TEST(ForeignTargets, AreNoneWhereTheKindIsWrong) {
  EXPECT_THAT(ForeignRows<float>({0.5f, 7}, models::CrossEntropy{}, 2), IsEmpty());
  EXPECT_THAT(ForeignRows<int64_t>({5, 7}, models::Mse{}, 1), IsEmpty());
}

// 50 samples in three classes; those of the last are foreign to a model with two outputs.
TEST(LearnableBatches, LeaveHolesForForeignTargetsAndNothingElse) {
  const testing::MemorySource::Options options{.samples = 50, .num_classes = 3, .epochs = 1};
  testing::MemorySource all(options);
  LearnableBatches learnable(std::make_unique<testing::MemorySource>(options),
                             models::CrossEntropy{}, 2, nullptr);
  int64_t num_skipped = 0;
  while (const auto expected = all.Next().value()) {
    const auto found = learnable.Next().value();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->index, expected->index);
    EXPECT_EQ(found->rows.num_rows() + found->num_skipped, expected->rows.num_rows());
    for (const int64_t label : found->rows.Find("target")->Values<int64_t>()) EXPECT_LT(label, 2);
    num_skipped += found->num_skipped;
    if (found->num_skipped > 0) {
      EXPECT_THAT(found->reason, HasSubstr("class 2, but the model has 2 outputs"));
    }
  }
  EXPECT_GT(num_skipped, 0);
  EXPECT_FALSE(learnable.Next().value().has_value());
}

}  // namespace
}  // namespace tidemill::trainer_server

#include "evaluator/measures/classes/confusion_matrix.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::evaluator {
namespace {

std::string DetailOf(const std::vector<int64_t>& truth, const std::vector<int64_t>& predicted,
                     const std::vector<std::string>& names) {
  const auto accumulator = ConfusionMatrix{}.NewAccumulator();
  accumulator->Add({.predicted_classes = predicted, .true_classes = truth});
  EXPECT_EQ(accumulator->Value(), std::nullopt);
  return accumulator->Detail(names);
}

TEST(ConfusionMatrix, HasARowForEachTrueClass) {
  EXPECT_EQ(DetailOf({0, 0, 1, 1, 1}, {0, 1, 1, 1, 0}, {"DOWN", "UP"}),
            R"({"classes":["DOWN","UP"],"counts":[[1,1],[1,2]]})");
  EXPECT_EQ(DetailOf({0}, {0}, {"DOWN", "UP"}),
            R"({"classes":["DOWN","UP"],"counts":[[1,0],[0,0]]})");
}

TEST(ConfusionMatrix, NamesClassesWithoutNamesByTheirNumbers) {
  EXPECT_EQ(DetailOf({7, 7}, {7, 9}, {}), R"({"classes":["7","9"],"counts":[[1,1],[0,0]]})");
  EXPECT_EQ(DetailOf({0}, {-3}, {"\""}), R"({"classes":["-3","\""],"counts":[[0,0],[1,0]]})");
}

TEST(ConfusionMatrix, IsLeftOutWithoutSamplesAndWithTooManyClasses) {
  EXPECT_EQ(DetailOf({}, {}, {"a"}), "");
  std::vector<int64_t> many;
  for (int64_t i = 0; i < 101; ++i) many.push_back(i);
  EXPECT_EQ(DetailOf(many, many, {}), "");
}

}  // namespace
}  // namespace tidemill::evaluator

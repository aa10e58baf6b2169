#include "loader/prepared/point_advice.h"

#include "gmock/gmock.h"

namespace tidemill::loader {
namespace {

// Costs in microseconds; rows are read and written in 100.
CacheQuestion QuestionOf(double read, std::vector<double> ops) {
  CacheQuestion question{.costs = {.read_ns = read * 1000}, .num_samples = 10'000};
  question.disk.speed = {
      .read_row_ns = 100'000, .read_byte_ns = 0, .write_row_ns = 100'000, .write_byte_ns = 0};
  for (int i = 0; i < std::ssize(ops); ++i) {
    question.costs.op_ns.push_back(ops[static_cast<size_t>(i)] * 1000);
    question.order.push_back(i);
    question.points.push_back({.num_ops = i + 1, .last_op = i, .row_bytes = 936});
  }
  return question;
}

TEST(AdviseOn, SaysHowLargeHowLongHowFastAndAfterHowManyEpochsItPays) {
  const auto advice = AdviseOn(QuestionOf(100, {800, 100}), 2);
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_EQ(advice[0].bytes, 10'000'000);
  // 10,000 samples of 900 us and 100 us to write, by two threads.
  EXPECT_NEAR(advice[0].prepare_seconds, 5, 1e-6);
  EXPECT_NEAR(advice[0].now, 2000, 1e-6);
  EXPECT_NEAR(advice[0].later, 2 * 1e6 / 200, 1e-6);
  // 1000 us once; 800 us less each time.
  EXPECT_EQ(advice[0].pays_after, 2);
  EXPECT_NEAR(advice[1].later, 2 * 1e6 / 100, 1e-6);
}

TEST(AdviseOn, NeverPaysWhereARowIsReadAsSlowlyAsItIsMade) {
  EXPECT_EQ(AdviseOn(QuestionOf(10, {20, 20}), 2)[0].pays_after, std::nullopt);
}

}  // namespace
}  // namespace tidemill::loader

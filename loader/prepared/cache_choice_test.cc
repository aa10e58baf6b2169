#include "loader/prepared/cache_choice.h"

#include "gmock/gmock.h"

namespace tidemill::loader {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRoom = int64_t{1} << 40;

// A graph of three ops, with a point after each. Costs are in microseconds.
CacheQuestion Question(double read, std::vector<double> ops, std::vector<int64_t> row_bytes) {
  CacheQuestion question{.costs = {.read_ns = read * 1000}, .num_samples = 1000, .uses = 4};
  for (int i = 0; i < std::ssize(ops); ++i) {
    question.costs.op_ns.push_back(ops[static_cast<size_t>(i)] * 1000);
    question.order.push_back(i);
    question.points.push_back(
        {.num_ops = i + 1, .last_op = i, .row_bytes = row_bytes[static_cast<size_t>(i)]});
  }
  question.memory = {.free_bytes = kRoom};
  return question;
}

int Chosen(const CacheQuestion& question) {
  const CacheChoice choice = ChooseCache(question);
  return choice.chosen < 0 ? 0 : choice.points[static_cast<size_t>(choice.chosen)].num_ops;
}

TEST(ChooseCache, KeepsNothingWhereReadingARowCostsAsMuchAsMakingIt) {
  EXPECT_EQ(Chosen(Question(1, {0.5, 0.5, 0.5}, {100, 100, 100})), 0);
  const CacheQuestion light = Question(1, {0.5, 0.5, 0.5}, {100, 100, 100});
  EXPECT_THAT(ChooseCache(light).reason, HasSubstr("2.5 us"));
}

TEST(ChooseCache, KeepsTheMiddleWhereLaterOpsAreCheapAndMakeRowsLarge) {
  EXPECT_EQ(Chosen(Question(20, {1500, 200, 60}, {562'500, 150'528, 602'112})), 2);
}

TEST(ChooseCache, KeepsTheEndWhereTheLastOpIsTheExpensiveOne) {
  EXPECT_EQ(Chosen(Question(20, {100, 20, 5000}, {10'000, 10'000, 4'000})), 3);
}

TEST(ChooseCache, ASampleThatIsUsedOnceIsNotKept) {
  CacheQuestion question = Question(20, {1500, 200, 60}, {562'500, 150'528, 602'112});
  question.uses = 0;
  EXPECT_EQ(Chosen(question), 0);
  EXPECT_THAT(ChooseCache(question).reason, HasSubstr("used again"));
}

TEST(ChooseCache, RowsThatDependOnWhatWasLearnedAreOfUseToFewer) {
  CacheQuestion question = Question(20, {1500, 200, 60}, {562'500, 150'528, 602'112});
  question.points[1].learns = question.points[2].learns = true;
  EXPECT_EQ(Chosen(question), 2);
  question.uses_learned = 0;
  EXPECT_EQ(Chosen(question), 1);
}

TEST(ChooseCache, SmallRowsWinWhereThereIsRoomForFewLargeOnes) {
  CacheQuestion question = Question(20, {1000, 300, 30}, {40'000, 10'000, 160'000});
  question.memory.free_bytes = 12'000'000;
  EXPECT_EQ(Chosen(question), 2);
  EXPECT_EQ(Chosen(Question(20, {1000, 300, 300}, {40'000, 10'000, 160'000})), 3);
}

TEST(ChooseCache, TheDiskTakesWhatMemoryHasNoRoomFor) {
  CacheQuestion question = Question(20, {1000, 10, 10}, {100'000, 100'000, 100'000});
  question.memory.free_bytes = 25'016'000;
  question.disk.free_bytes = 50'032'000;
  const CacheChoice choice = ChooseCache(question);
  EXPECT_NEAR(choice.points[0].in_memory, 0.25, 0.001);
  EXPECT_NEAR(choice.points[0].on_disk, 0.5, 0.001);
}

TEST(ChooseCache, WhatFitsNeitherInMemoryNorOnDiskIsReadFromTheSharedStore) {
  CacheQuestion question = Question(100, {800, 100}, {1'000, 1'000});
  question.points.pop_back();
  question.memory.free_bytes = 0;
  question.disk.free_bytes = 0;
  EXPECT_EQ(ChooseCache(question).chosen, -1);
  question.shared = {.speed = {.read_row_ns = 100'000, .read_byte_ns = 0},
                     .free_bytes = int64_t{1} << 40};
  const CacheChoice far = ChooseCache(question);
  EXPECT_EQ(far.points[0].elsewhere, 1);
  // 1000 us before; 100 us to read and 100 us for the last op now.
  EXPECT_NEAR(far.points[0].speedup, 5, 0.1);
  EXPECT_EQ(far.chosen, 0);
  // It is too slow to be of use.
  question.shared.speed.read_row_ns = 2'000'000;
  EXPECT_EQ(ChooseCache(question).chosen, -1);
  question.disk.free_bytes = int64_t{1} << 40;
  EXPECT_EQ(ChooseCache(question).points[0].elsewhere, 0);
}

TEST(ChooseCache, PredictsHowMuchFasterASampleIsPrepared) {
  CacheQuestion question = Question(100, {800, 100}, {1'000, 1'000});
  question.memory.speed = {.read_row_ns = 50'000, .read_byte_ns = 0};
  question.points.pop_back();
  const CacheChoice choice = ChooseCache(question);
  // 1000 us before; 50 us to read and 100 us for the last op now.
  EXPECT_NEAR(choice.points[0].speedup, 1000.0 / 150, 0.01);
}

}  // namespace
}  // namespace tidemill::loader

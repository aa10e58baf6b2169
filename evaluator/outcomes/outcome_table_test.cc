#include "evaluator/outcomes/outcome_table.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::evaluator {
namespace {

using ::testing::ElementsAre;

// Keys of [from, to), whose class is the key modulo 3.
void AddRange(OutcomeTable& table, int64_t from, int64_t to) {
  std::vector<int64_t> keys(static_cast<size_t>(to - from));
  std::iota(keys.begin(), keys.end(), from);
  std::vector<int64_t> classes;
  for (const int64_t key : keys) classes.push_back(key % 3);
  table.Add({.keys = keys, .outcomes = {.predicted_classes = classes, .true_classes = classes}});
}

std::set<int64_t> KeysOf(const OutcomeTable& table) {
  return {table.keys().begin(), table.keys().end()};
}

TEST(OutcomeTable, RanksScoresColumnByColumn) {
  OutcomeTable table(1 << 20);
  const std::vector<int64_t> keys = {1, 2, 3}, classes = {0, 1, 2};
  const std::vector<float> scores = {.5F, .1F, .5F, 3, 2, 1};
  const std::vector<int32_t> slice = {7, 8, 9};
  table.Add({.keys = keys,
             .outcomes = {.predicted_classes = classes, .true_classes = classes},
             .scores = scores,
             .slices = {slice}});
  table.Seal();
  EXPECT_THAT(table.outcomes().ranks, ElementsAre(1, 0, 1, 2, 1, 0));
  EXPECT_EQ(table.outcomes().num_ranks, 3);
  const std::vector<int32_t> rows = {0, 2};
  const OutcomeTable part = table.Select(rows);
  EXPECT_THAT(part.keys(), ElementsAre(1, 3));
  EXPECT_THAT(part.slices(0), ElementsAre(7, 9));
  EXPECT_THAT(part.outcomes().true_classes, ElementsAre(0, 2));
  EXPECT_THAT(part.outcomes().ranks, ElementsAre(0, 0, 1, 0));
}

TEST(OutcomeTable, KeepsWhatSamplesContribute) {
  OutcomeTable table(1 << 20);
  const std::vector<int64_t> classes = {0, 1};
  const std::vector<double> cost = {5, 7}, pairs = {1, 2, 3, 4};
  const Contributions both[] = {{.measure = "cost", .numbers = cost},
                                {.measure = "pairs", .numbers = pairs, .width = 2}};
  const auto add = [&](const std::vector<int64_t>& keys, std::span<const Contributions> some) {
    table.Add({.keys = keys,
               .outcomes = {
                   .predicted_classes = classes, .true_classes = classes, .contributions = some}});
  };
  add({1, 2}, both);
  add({3, 4}, std::span(both).last(1));
  table.Seal();
  EXPECT_EQ(table.outcomes().ContributionsTo("cost"), nullptr) << "a block lacked it";
  const std::vector<int32_t> rows = {1, 2};
  const OutcomeTable part = table.Select(rows);
  ASSERT_NE(part.outcomes().ContributionsTo("pairs"), nullptr);
  EXPECT_THAT(part.outcomes().ContributionsTo("pairs")->numbers, ElementsAre(3, 4, 1, 2));
}

TEST(OutcomeTable, KeepsASampleThatDoesNotDependOnTheOrder) {
  constexpr int64_t kCount = 50'000;
  constexpr int64_t kBytes = 24 * 4000;
  OutcomeTable straight(kBytes);
  for (int64_t from = 0; from < kCount; from += 1000) AddRange(straight, from, from + 1000);
  OutcomeTable backward(kBytes);
  for (int64_t from = kCount; from > 0; from -= 500) AddRange(backward, from - 500, from);
  EXPECT_LE(straight.num_kept(), 4000);
  EXPECT_GT(straight.num_kept(), 1500);
  EXPECT_EQ(straight.num_added(), kCount);
  EXPECT_EQ(KeysOf(straight), KeysOf(backward));
  for (size_t i = 0; i < straight.keys().size(); ++i) {
    ASSERT_EQ(straight.outcomes().true_classes[i], straight.keys()[i] % 3);
  }
}

TEST(OutcomeTable, KeepsAThousandSamplesWhateverItsBudget) {
  OutcomeTable table(0);
  AddRange(table, 0, 1000);
  EXPECT_EQ(table.num_kept(), 1000);
}

}  // namespace
}  // namespace tidemill::evaluator

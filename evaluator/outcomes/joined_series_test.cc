#include "evaluator/outcomes/joined_series.h"

#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "batch/wire.h"
#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/ranked/log_loss.h"
#include "evaluator/measures/ranked/roc_auc.h"
#include "evaluator/outcomes/outcome_keeper.h"

namespace tidemill::evaluator {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kMany = int64_t{1} << 30;

// A model that is right where `wrong` does not divide the key, on the keys of [from, to). The
// time of a sample is its key.
OutcomeTable Table(int64_t from, int64_t to, int64_t wrong, int64_t max_bytes = kMany) {
  std::vector<int64_t> keys(static_cast<size_t>(to - from));
  std::iota(keys.begin(), keys.end(), from);
  std::vector<int64_t> truth;
  std::vector<int64_t> predicted;
  std::vector<float> scores;
  for (const int64_t key : keys) {
    truth.push_back(key % 2);
    predicted.push_back(key % wrong == 0 ? 1 - key % 2 : key % 2);
    scores.push_back(predicted.back() == 1 ? 0.8F : 0.2F);
  }
  OutcomeTable table(max_bytes);
  table.Add({.keys = keys,
             .times = keys,
             .outcomes = {.predicted_classes = predicted, .true_classes = truth},
             .scores = scores});
  return table;
}

SeriesWindow WindowOf(const OutcomeTable& table) {
  return {.columns = *batch::Decode(batch::Buffer::FromString(batch::Encode(table.ToBatch()))),
          .key_limit = table.limit()};
}

SeriesWindow Window(int64_t from, int64_t to, int64_t wrong) {
  return WindowOf(Table(from, to, wrong));
}

std::optional<PairedDifference> AccuracyOf(const JoinedSeries& joined) {
  const MeasureSpec accuracy = Accuracy{};
  return joined.DifferenceOf(*accuracy, 200, 0);
}

TEST(OutcomeTable, IsTheSameAfterItsColumnsWereKept) {
  const OutcomeTable table = Table(0, 500, 5);
  const auto read = OutcomeTable::FromBatch(WindowOf(table).columns);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->keys(), ::testing::ElementsAreArray(table.keys()));
  EXPECT_EQ(read->outcomes().true_classes.size(), 500);
  EXPECT_EQ(read->outcomes().ranks.size(), 500) << "it is sealed";
  EXPECT_TRUE(read->outcomes().true_values.empty());
}

TEST(OutcomeTable, RefusesColumnsThatAreNotThoseOfATable) {
  batch::Batch columns(2);
  const std::vector<int64_t> keys = {1, 2};
  ASSERT_TRUE(columns.Set(batch::MakeColumn<int64_t>("key", keys)).ok());
  EXPECT_TRUE(absl::IsDataLoss(OutcomeTable::FromBatch(columns).status())) << "no answers";
  ASSERT_TRUE(columns.Set(batch::MakeColumn<int64_t>("true_value", keys)).ok());
  EXPECT_TRUE(absl::IsDataLoss(OutcomeTable::FromBatch(columns).status())) << "another type";
}

TEST(JoinedSeries, HasTheSamplesOfBoth) {
  const auto joined =
      JoinedSeries::Join({Window(0, 300, 5), Window(300, 600, 5)}, {Window(100, 400, 3)});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->num_samples(), 300);
  EXPECT_EQ(joined->share(), 1);
  const auto difference = AccuracyOf(*joined);
  EXPECT_DOUBLE_EQ(difference->one, 0.8);
  EXPECT_NEAR(difference->other, 2.0 / 3, 1e-9);
  EXPECT_EQ(difference->num_samples, 300);
}

TEST(JoinedSeries, CountsASampleOfSeveralWindowsOnce) {
  const auto joined = JoinedSeries::Join({Window(0, 100, 5), Window(50, 150, 5)},
                                         {Window(0, 100, 3), Window(50, 150, 3)});
  EXPECT_EQ(joined->num_samples(), 150);
}

TEST(JoinedSeries, HasNothingWhereNothingIsCommon) {
  const auto joined = JoinedSeries::Join({Window(0, 100, 5)}, {Window(200, 300, 5)});
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined->num_samples(), 0);
  EXPECT_FALSE(AccuracyOf(*joined).has_value());
  EXPECT_EQ(JoinedSeries::Join({}, {})->num_samples(), 0);
}

TEST(JoinedSeries, LeavesOutMeasuresOfWhichTooLittleIsKept) {
  const auto joined = JoinedSeries::Join({Window(0, 100, 5)}, {Window(0, 100, 3)});
  const MeasureSpec log_loss = LogLoss{};
  const MeasureSpec roc_auc = RocAuc{};
  EXPECT_FALSE(joined->DifferenceOf(*log_loss, 200, 0).has_value()) << "no probabilities";
  EXPECT_TRUE(joined->DifferenceOf(*roc_auc, 200, 0).has_value());
}

// Each model ranks the samples of its own window, whatever the scores of another are.
TEST(JoinedSeries, RanksWindowByWindow) {
  const auto joined =
      JoinedSeries::Join({Window(0, 300, 1'000'000), Window(300, 600, 1)}, {Window(0, 600, 4)});
  const MeasureSpec roc_auc = RocAuc{};
  const auto difference = joined->DifferenceOf(*roc_auc, 200, 0);
  EXPECT_NEAR(difference->one, (299.0 / 300 + 0) / 2, 0.01) << "right in one, wrong in the other";
}

TEST(JoinedSeries, TakesWhatBothHaveDrawnOfManySamples) {
  const SeriesWindow few = WindowOf(Table(0, 8000, 5, /*max_bytes=*/2000 * 48));
  ASSERT_LT(few.columns.num_rows(), 3000);
  const auto joined = JoinedSeries::Join({few}, {Window(0, 8000, 3)});
  EXPECT_EQ(joined->num_samples(), few.columns.num_rows());
  EXPECT_NEAR(joined->share(), static_cast<double>(few.columns.num_rows()) / 8000, 0.03);
  EXPECT_NEAR(AccuracyOf(*joined)->value(), 0.8 - 2.0 / 3, 0.05);
}

TEST(OutcomeKeeper, KeepsFewerSamplesOfLaterWindowsOnceItIsFull) {
  OutcomeKeeper keeper(5000 * 40);
  int64_t num_kept = 0;
  for (int64_t window = 0; window < 20; ++window) {
    OutcomeTable table = keeper.NewTable();
    std::vector<int64_t> keys(1000), classes(1000);
    std::iota(keys.begin(), keys.end(), 1000 * window);
    table.Add({.keys = keys, .outcomes = {.predicted_classes = classes, .true_classes = classes}});
    keeper.NoteTable(table);
    num_kept += table.num_kept();
  }
  EXPECT_GT(num_kept, 8000);
  EXPECT_LT(num_kept, 16'000);
}

TEST(OutcomeKeeper, KnowsTheEarliestModel) {
  OutcomeKeeper keeper;
  EXPECT_FALSE(keeper.IsFirst(0)) << "of no trigger";
  EXPECT_TRUE(keeper.IsFirst(2));
  EXPECT_FALSE(keeper.IsFirst(3));
  EXPECT_TRUE(keeper.IsFirst(2)) << "on the next window, too";
}

TEST(JoinedSeries, GivesTheRowsOfASeriesInTheOrderOfTime) {
  const auto table = TableOf({Window(10, 13, 5), Window(5, 12, 5)});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(table->keys(), ElementsAre(5, 6, 7, 8, 9, 10, 11, 12));
}

}  // namespace
}  // namespace tidemill::evaluator

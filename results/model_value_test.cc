#include "results/model_value.h"

#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::results {
namespace {

// A value on the window [from, from + 10).
Row& Add(Table& table, int64_t trigger, int64_t from, double number, int64_t samples) {
  Row& row = *table.Add();
  row.set_trigger(trigger);
  row.set_dataset_name("weather");
  row.set_measure("accuracy");
  row.mutable_from()->set_event_time(from);
  row.mutable_to()->set_event_time(from + 10);
  row.set_value(number);
  row.set_num_samples(samples);
  return row;
}

// Models 1 and 2 were in use in one window each. `constant` is better in the first, `last` in both
// together.
Table TwoModels() {
  Table table;
  for (const auto& [name, first, second] :
       {std::tuple("constant", 0.55, 0.1), std::tuple("last", 0.5, 0.7)}) {
    Add(table, 1, 0, first, 10).set_baseline(name);
    Add(table, 2, 10, second, 30).set_baseline(name);
  }
  Add(table, 1, 0, 0.5, 10).set_active(true);
  Add(table, 1, 10, 0.3, 30);
  Add(table, 2, 10, 0.9, 30).set_active(true);
  return table;
}

TEST(ValueOfModels, PoolsTheModelsInUseAndTheBetterRuleOnTheirWindows) {
  const Table table = TwoModels();
  const auto value = ValueOfModels(table);
  ASSERT_TRUE(value);
  EXPECT_DOUBLE_EQ(*value->models.Mean(), 0.8);
  EXPECT_EQ(value->models.num_samples(), 40);
  EXPECT_FALSE(value->is_of_last_model);
  ASSERT_TRUE(value->rule);
  EXPECT_EQ(value->rule->name, "last");
  EXPECT_DOUBLE_EQ(value->rule->value, 0.65);
}

TEST(ValueOfModels, IsThatOfTheLastModelWhereNoneWasInUse) {
  Table table = TwoModels();
  for (Row& row : table) row.set_active(false);
  const auto value = ValueOfModels(table);
  ASSERT_TRUE(value);
  EXPECT_TRUE(value->is_of_last_model);
  EXPECT_DOUBLE_EQ(*value->models.Mean(), 0.9);
  EXPECT_DOUBLE_EQ(value->rule->value, 0.7);
}

TEST(ValueOfModels, TakesTheLowerRuleOfAnErrorAndTheMeasureThatIsAskedFor) {
  Table table = TwoModels();
  for (Row& row : table) row.set_measure("mae");
  Add(table, 1, 0, 0.25, 10).set_active(true);
  EXPECT_EQ(ValueOfModels(table)->measured.measure, "mae");
  EXPECT_EQ(ValueOfModels(table)->rule->name, "constant");
  EXPECT_DOUBLE_EQ(*ValueOfModels(table, "accuracy")->models.Mean(), 0.25);
  EXPECT_FALSE(ValueOfModels(table, "accuracy")->rule);
  EXPECT_FALSE(ValueOfModels(table, "f1"));
  EXPECT_FALSE(ValueOfModels({}));
}

TEST(ValueOfModel, HasTheWindowsOfThatModelAndTheirRule) {
  const Table table = TwoModels();
  const auto first = ValueOfModel(table, 1);
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(*first->models.Mean(), 0.5);
  EXPECT_EQ(first->rule->name, "constant");
  EXPECT_DOUBLE_EQ(ValueOfModel(table, 2)->rule->value, 0.7);
  EXPECT_FALSE(ValueOfModel(table, 3));
}

TEST(ValueOfModel, HasAllThatItWasMeasuredOnWhereNoModelWasInUse) {
  Table table = TwoModels();
  for (Row& row : table) row.set_active(false);
  EXPECT_EQ(ValueOfModel(table, 1)->models.num_samples(), 40);
}

}  // namespace
}  // namespace tidemill::results

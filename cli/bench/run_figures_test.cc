#include "cli/bench/run_figures.h"

#include <gtest/gtest.h>

#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

RunFigures Example() {
  RunFigures figures;
  figures.seconds = 12.5;
  figures.num_decisions = 3;
  figures.deciding_seconds = 0.25;
  figures.models = {{.at = {86'400'000'000},
                     .number = 1,
                     .num_samples = 10,
                     .stage_seconds = {{"train", 0.5}},
                     .training_set = "abc",
                     .weights = "def"}};
  results::Row row;
  row.set_dataset_name("d");
  row.mutable_to()->set_event_time(86'400'000'000);
  row.set_measure("accuracy");
  row.set_value(0.75);
  row.set_num_samples(4);
  row.set_trigger(1);
  figures.table.resize(4, row);
  figures.table[0].set_baseline("last");
  figures.table[1].set_active(true);
  figures.table[1].set_value(1.0 / 3);
  figures.table[1].set_sums("[1, 2]");
  figures.table[2].set_slice("class=UP");
  figures.table[3].set_trigger(2);
  figures.table[3].clear_value();
  return figures;
}

TEST(RunFigures, AreReadAsTheyWereWritten) {
  const nlohmann::ordered_json json = FiguresToJson(Example());
  const auto read = FiguresFromJson(nlohmann::ordered_json::parse(json.dump()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(FiguresToJson(*read), json);
  EXPECT_EQ(read->models[0].stage_seconds.at("train"), 0.5);
  ASSERT_EQ(read->table.size(), 4);
  EXPECT_EQ(read->table[0].baseline(), "last");
  EXPECT_TRUE(read->table[1].active());
  EXPECT_EQ(read->table[1].value(), 1.0 / 3) << "the models in use have all digits";
  EXPECT_EQ(read->table[1].sums(), "[1, 2]");
  EXPECT_EQ(read->table[2].slice(), "class=UP");
  EXPECT_FALSE(read->table[3].has_value());
  // The same window is written once.
  EXPECT_EQ(json["evaluations"]["windows"].size(), 2);
}

TEST(RunFigures, RefuseWhatIsDamaged) {
  for (const auto& [pointer, value] : std::vector<std::pair<std::string, nlohmann::ordered_json>>{
           {"/triggers", 7},
           {"/triggers/0", "x"},
           {"/active/0/2", 3},
           {"/baselines/0", nullptr},
           {"/evaluations", nullptr},
           {"/evaluations/windows/0/1", 5},
           {"/evaluations/values/0/1", 99},
           {"/evaluations/values/0/2", "high"}}) {
    nlohmann::ordered_json json = FiguresToJson(Example());
    json[nlohmann::ordered_json::json_pointer(pointer)] = value;
    EXPECT_FALSE(FiguresFromJson(json).ok()) << pointer;
  }
  EXPECT_FALSE(FiguresFromJson(nlohmann::ordered_json::array()).ok());
}

}  // namespace
}  // namespace tidemill::cli

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
  const MeasuredWindow window{.dataset = "d",
                              .from = {0},
                              .to = {86'400'000'000},
                              .measure = "accuracy",
                              .value = 0.75,
                              .num_samples = 4,
                              .trigger = 1};
  figures.active = {window};
  figures.active[0].sums = "[1, 2]";
  figures.baselines = {window};
  figures.baselines[0].baseline = "last";
  figures.evaluations = {window, window, window};
  figures.evaluations[1].slice = "class=UP";
  figures.evaluations[2].value.reset();
  return figures;
}

TEST(RunFigures, AreReadAsTheyWereWritten) {
  const nlohmann::ordered_json json = FiguresToJson(Example());
  const auto read = FiguresFromJson(nlohmann::ordered_json::parse(json.dump()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(FiguresToJson(*read), json);
  EXPECT_EQ(read->models[0].stage_seconds.at("train"), 0.5);
  EXPECT_EQ(read->active[0].sums, "[1, 2]");
  EXPECT_EQ(read->baselines[0].baseline, "last");
  EXPECT_EQ(read->evaluations[1].slice, "class=UP");
  EXPECT_FALSE(read->evaluations[2].value);
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

#include "cli/terminal/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "nlohmann/json.hpp"

#include "cli/results/matrix.h"
#include "cli/results/run_json.h"
#include "cli/results/run_report.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Text, NoNameCanDriveTheTerminal) {
  EXPECT_EQ(Printable("a\x1b]0;owned\x07"
                      "b"),
            "a\\x1b]0;owned\\x07b");
  EXPECT_EQ(Printable("Zürich\n"), "Zürich\n");
  EXPECT_EQ(OneLine("a\nb\tc\xE2\x80\xAE"), "a\\nb\\x09c\\xe2\\x80\\xae");
}

TEST(Text, NumbersReadWell) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(-1234567), "-1,234,567");
  EXPECT_EQ(WithThousands(-123), "-123");
  EXPECT_EQ(Short(41'234), "41 k");
  EXPECT_EQ(Elapsed(3.14), "3.1 s");
  EXPECT_EQ(Elapsed(185), "3 min 05 s");
  EXPECT_EQ(Elapsed(47 * 3600 + 600), "47 h 10 min");
  EXPECT_EQ(Elapsed(1452 * 3600), "60 d 12 h");
  EXPECT_EQ(Measure(std::nullopt), "-");
}

TEST(Table, AlignsColumnsAndSaysWhenItIsEmpty) {
  Table table({"NAME", "SAMPLES"});
  EXPECT_EQ(table.ToString(), "NAME  SAMPLES\n<none>\n");
  table.Add({"elec2", "45,312"});
  table.Add({"é", "7"});
  EXPECT_EQ(table.ToString(),
            "NAME   SAMPLES\n"
            "elec2   45,312\n"
            "é            7\n");
}

TEST(Table, ShowsWhatACellHidesInsteadOfPrintingIt) {
  Table table({"FILE"});
  table.Add({"a\nsupervisor  down\x1b[2K\xE2\x80\xAE"});
  EXPECT_EQ(table.ToString(), "FILE\na\\nsupervisor  down\\x1b[2K\\xe2\\x80\\xae\n");
}

supervisor::v1::GetRunResponse TwoModelsOnTwoWindows() {
  supervisor::v1::GetRunResponse run;
  for (const int64_t trigger : {1, 2}) {
    auto& fired = *run.add_triggers();
    fired.set_number(trigger);
    fired.set_model_id(trigger);
    fired.mutable_at()->set_event_time(trigger * 86'400'000'000);
    (*fired.mutable_stage_seconds())["train"] = 0.5;
    for (const int64_t window : {0, 1}) {
      auto& value = *run.add_results();
      value.set_model_id(trigger);
      value.set_trigger(trigger);
      value.set_dataset_name("weather");
      value.mutable_from()->set_event_time(window * 86'400'000'000);
      value.mutable_to()->set_event_time((window + 1) * 86'400'000'000);
      value.set_measure("accuracy");
      if (trigger == 1 || window == 1) value.set_value(0.25 * static_cast<double>(trigger));
      value.set_num_samples(10);
      value.set_active(trigger == 1 && window == 1);
    }
  }
  return run;
}

TEST(Matrix, ShowsEachModelOnEachWindowAndMarksTheActiveOne) {
  const std::string text = DrawMatrices(TwoModelsOnTwoWindows(), View());
  EXPECT_THAT(text, HasSubstr("accuracy on weather, in %"));
  EXPECT_THAT(text, HasSubstr("   1 1970-01-02 25.0  25.0*\n"));
  EXPECT_THAT(text, HasSubstr("   2 1970-01-03    ?  50.0\n"));
  EXPECT_THAT(text, HasSubstr("?: there are samples, but no value"));
  EXPECT_THAT(text, HasSubstr("0.2500 per sample, over 10 samples"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(RunReport, SaysWhatLimitedEachTrainingWhereThatIsKnown) {
  supervisor::v1::GetRunResponse run = TwoModelsOnTwoWindows();
  EXPECT_THAT(DescribeRun(run, {.full = true}), Not(HasSubstr("LIMITED")));
  run.mutable_triggers(1)->mutable_result()->set_verdict(
      "40 % of the time waiting for data; limit: op resize");
  EXPECT_THAT(DescribeRun(run, {.full = true}),
              HasSubstr("TRIGGER  WHAT LIMITED ITS TRAINING\n"
                        "      2  40 % of the time waiting for data; limit: op resize\n"));
}

TEST(RunJson, HoldsTriggersModelsEvaluationsAndComposites) {
  const nlohmann::ordered_json json = RunToJson(TwoModelsOnTwoWindows());
  EXPECT_EQ(json.at("triggers").at(0).at("at"), "1970-01-02T00:00:00Z");
  EXPECT_EQ(json.at("triggers").at(0).at("seconds"), 0.5);
  EXPECT_EQ(json.at("models"), (nlohmann::json{1, 2}));
  EXPECT_EQ(json.at("evaluations").size(), 4);
  EXPECT_TRUE(json.at("evaluations").at(2).at("value").is_null());
  EXPECT_EQ(json.at("composite").at("active").at(0).at("samples"), 10);
}

TEST(RunToJson, SaysTheSameOfTheSameRunEachTime) {
  std::set<std::string> texts;
  for (int repetition = 0; repetition < 50; ++repetition) {
    supervisor::v1::GetRunResponse run;
    auto& stages = *run.add_triggers()->mutable_stage_seconds();
    for (const char* stage : {"select", "fit", "train", "store"}) {
      const auto number = static_cast<double>(stages.size() + 1);
      stages[stage] = 0.1 / number;
    }
    texts.insert(RunToJson(run).dump());
  }
  EXPECT_THAT(texts, ::testing::SizeIs(1));
}

}  // namespace
}  // namespace tidemill::cli

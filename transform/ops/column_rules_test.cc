#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/config.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::RunGraph;
using ::testing::SizeIs;
using testing::Spec;

config::ColumnList Columns(config::ColumnRule rule) {
  config::ColumnList columns;
  columns.items.emplace_back(std::move(rule));
  return columns;
}

config::ColumnList With(const std::string& name, config::ColumnRule rule) {
  config::ColumnList columns = {name};
  columns.items.emplace_back(std::move(rule));
  return columns;
}

// hour, sensor_0 ... sensor_127, room, outcome; the label is outcome.
SampleSchema Sensors() {
  std::vector<std::string> columns = {"hour"};
  for (int i = 0; i < 128; ++i) columns.push_back(fmt::format("sensor_{}", i));
  columns.emplace_back("room");
  columns.emplace_back("outcome");
  SampleSchema schema = CsvSchema(std::move(columns));
  schema.label_column = "outcome";
  return schema;
}

TEST(ColumnRules, TakeOneHundredAndTwentyEightSensorsWithoutNamingThem) {
  std::vector<int> readings(128);
  std::iota(readings.begin(), readings.end(), 1000);
  const batch::Batch samples =
      MakeSamples({fmt::format("7,{},kitchen,9", fmt::join(readings, ","))});
  const GraphSpec spec =
      Spec(ParseCsvSpec{.columns = Columns({.match = "sensor_*", .except = {"sensor_3"}})},
           ParseCsvSpec{.columns = {"hour"}},
           StackSpec{.columns = With("hour", {.from = "sensor_0", .to = "sensor_127"})});
  const Transformed result = RunGraph(spec, Sensors(), samples);
  ASSERT_THAT(result.bad, IsEmpty());
  const auto input = result.batch.Find("input")->Values<float>();
  ASSERT_THAT(input, SizeIs(128));
  EXPECT_EQ(input[0], 7);
  EXPECT_EQ(input[3], 1002);  // sensor_2
  EXPECT_EQ(input[4], 1004);  // sensor_4
  EXPECT_EQ(input[127], 1127);
}

TEST(ColumnRules, AreTheSameGraphAsTheNamesThatTheyStandFor) {
  const GraphSpec by_rule =
      Spec(ParseCsvSpec{.columns = Columns({.match = "sensor_12?"})},
           StandardizeSpec{.columns = Columns({.except = {"sensor_120"}})}, StackSpec{});
  const auto chosen = Graph::Choose(by_rule, Sensors());
  ASSERT_THAT(chosen, SizeIs(2));
  EXPECT_EQ(chosen[0].field, "columns");
  EXPECT_EQ(chosen[1].op_index, 1);
  EXPECT_THAT(chosen[1].names, SizeIs(7));
  GraphSpec by_name = by_rule;
  NameColumns(chosen, by_name);
  EXPECT_NE(by_name, by_rule);
  EXPECT_THAT(by_name[0].value->Reads().names, SizeIs(8));
  EXPECT_THAT(Graph::Choose(by_name, Sensors()), IsEmpty());
  const auto a = Graph::Build(by_rule, Sensors());
  const auto b = Graph::Build(by_name, Sensors());
  ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
  EXPECT_EQ(a->Fingerprint(), b->Fingerprint());
  EXPECT_EQ(a->spec_digest(), b->spec_digest());
}

TEST(ColumnRules, ChooseTheArgumentsOfAProgram) {
  const GraphSpec spec = Spec(
      ParseCsvSpec{.columns = Columns({.match = "sensor_12?"})},
      TorchScriptSpec{
          .program = "AA==", .columns = With("sensor_125", {.to = "sensor_122"}), .into = "input"});
  EXPECT_THAT(Graph::Check(spec, Sensors()), IsEmpty());
  const auto chosen = Graph::Choose(spec, Sensors());
  ASSERT_THAT(chosen, SizeIs(2));
  EXPECT_THAT(chosen[1].names, ElementsAre("sensor_125", "sensor_120", "sensor_121", "sensor_122"));
}

TEST(ColumnRules, LeaveOutTheLabelAndWhatIsBeforeThem) {
  SampleSchema schema = CsvSchema({"a", "b", "c", "outcome"});
  schema.label_column = "outcome";
  const GraphSpec spec = Spec(ParseCsvSpec{.columns = config::ColumnList::All()},
                              StackSpec{.columns = With("c", {.match = "*"})});
  const auto chosen = Graph::Choose(spec, schema);
  ASSERT_THAT(chosen, SizeIs(2));
  EXPECT_THAT(chosen[0].names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(chosen[1].names, ElementsAre("c", "a", "b"));
  schema.label_column.reset();  // As for a series.
  EXPECT_THAT(Graph::Choose(spec, schema)[0].names, ElementsAre("a", "b", "c", "outcome"));
}

TEST(ColumnRules, TakeOfColumnsThatWereMadeWhatAllWouldTake) {
  const GraphSpec spec = Spec(
      ParseCsvSpec{.columns = {"a", "b"}}, ParseCsvSpec{.columns = {"n"}, .dtype = CsvType::kInt64},
      ParseCsvSpec{.columns = {"s"}, .dtype = CsvType::kString}, LabelSpec{},
      ClipSpec{.columns = Columns({.except = {"b"}}), .max = 1},
      StackSpec{.columns = Columns({.to = "n"})});
  const auto chosen = Graph::Choose(spec, CsvSchema({"a", "b", "n", "s"}));
  ASSERT_THAT(chosen, SizeIs(2));
  EXPECT_THAT(chosen[0].names, ElementsAre("a"));
  EXPECT_THAT(chosen[1].names, ElementsAre("a", "b", "n"));
}

TEST(ColumnRules, ThatAreWrongAreProblemsAtTheirKeys) {
  const SampleSchema csv = CsvSchema({"hour", "sensor_1", "sensor_2"});
  const ParseCsvSpec parse{.columns = {"hour", "sensor_1", "sensor_2"}};
  SampleSchema labelled = csv;
  labelled.label_column = "hour";
  const struct {
    GraphSpec spec;
    SampleSchema schema;
    GraphProblem problem;
  } expected[] = {
      {Spec(ParseCsvSpec{.columns = Columns({.match = "senzor_*"})}, parse, StackSpec{}),
       csv,
       {0, "columns.match", "no column matches 'senzor_*'", "columns: hour, sensor_1, sensor_2"}},
      {Spec(ParseCsvSpec{.columns = With("hour", {.from = "sensor_2", .to = "sensor_1"})},
            StackSpec{}),
       csv,
       {0, "columns[1].from", "'sensor_2' comes after 'sensor_1'",
        "write {from: sensor_1, to: sensor_2}"}},
      {Spec(parse, StackSpec{.columns = Columns({.match = "s*", .except = {"sensor_3"}})}),
       csv,
       {1, "columns.except[0]", "there is no column 'sensor_3'", "did you mean 'sensor_1'?"}},
      {Spec(parse, StackSpec{.columns = With("hour", {.match = "h*"})}),
       csv,
       {1, "columns[1]", "chooses no column that was not chosen before",
        "leave the rule out, or name columns"}},
      {Spec(ParseCsvSpec{.columns = Columns({.match = "h*"})}, parse, StackSpec{}),
       labelled,
       {0, "columns", "chooses no column except the label, or columns that were chosen before",
        "leave the rule out, or name columns"}},
  };
  for (const auto& [spec, schema, problem] : expected) {
    EXPECT_THAT(Graph::Check(spec, schema), ElementsAre(problem)) << problem.message;
  }
}

TEST(ColumnRules, WaitForTheColumnsOfTheDataset) {
  SampleSchema unread = CsvSchema({});
  unread.columns.reset();
  const GraphSpec spec = Spec(ParseCsvSpec{.columns = Columns({.match = "s*"})},
                              StackSpec{.columns = {"sensor_1"}}, LabelSpec{});
  EXPECT_THAT(Graph::Check(spec, unread), IsEmpty());
  EXPECT_THAT(Graph::Choose(spec, unread), IsEmpty());
  EXPECT_EQ(Graph::Build(spec, unread).status().code(), absl::StatusCode::kFailedPrecondition);
  // What is wrong before is found.
  const GraphSpec wrong = Spec(
      ParseCsvSpec{
          .columns = Columns({.match = "s*"}), .dtype = CsvType::kInt64, .missing = {"NA"}},
      StackSpec{.columns = {"sensor_1"}});
  EXPECT_THAT(Graph::Check(wrong, unread), SizeIs(1));
}

}  // namespace
}  // namespace tidemill::transform

#include "transform/ops/numbers/compute.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/fitter.h"
#include "transform/graph.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

GraphSpec GraphOfText(const std::string& yaml) {
  auto spec = config::Read<GraphSpec>(yaml, "graph");
  EXPECT_THAT(spec, IsOk());
  return spec.ok() ? *spec : GraphSpec();
}

std::vector<float> InputOf(const Transformed& made) {
  const auto values = made.batch.Find(kInputColumn)->Values<float>();
  return {values.begin(), values.end()};
}

std::string ComputeProblem(const std::string& op) {
  const auto graph = Graph::Build(
      GraphOfText("- parse_csv: {columns: [price]}\n- parse_csv: {columns: [name], dtype: string}\n"
                  "- parse_csv: {columns: [user], dtype: int64}\n" +
                  op + "\n- stack\n"),
      CsvSchema({"price", "name", "user"}));
  return graph.ok() ? "" : std::string(graph.status().message());
}

TEST(Compute, MakesColumnsFromExpressions) {
  const auto graph = Graph::Build(
      GraphOfText(
          "- parse_csv: {columns: [price]}\n- parse_csv: {columns: [name], dtype: string}\n"
          "- compute: {costly: price > 10, logarithm: log1p(price), letters: length(name)}\n"
          "- stack: {columns: [costly, logarithm, letters], into: input}\n"),
      CsvSchema({"price", "name"}));
  ASSERT_THAT(graph, IsOk());
  const auto made = graph->Run(MakeSamples({"0,abc", "20,ä"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(InputOf(*made), ElementsAre(0, 0, 3, 1, std::log1p(20.0F), 1));
}

TEST(Compute, ReplacesAColumnThatItReads) {
  const auto graph = Graph::Build(GraphOfText("- parse_csv: {columns: [a, b]}\n"
                                              "- compute: {a: b, b: a}\n- stack\n"),
                                  CsvSchema({"a", "b"}));
  ASSERT_THAT(graph, IsOk());
  const auto made = graph->Run(MakeSamples({"1,2"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(InputOf(*made), ElementsAre(2, 1));
}

TEST(Compute, MakesMissingNumbersOfNullsAndBadSamplesOfOtherNulls) {
  const auto graph = Graph::Build(
      GraphOfText("- parse_csv: {columns: [a]}\n- parse_csv: {columns: [s], dtype: string}\n"
                  "- compute: {root: sqrt(a), part: \"whole(split(s, '-')[1])\"}\n"
                  "- fill_missing: {columns: [root], number: -1}\n"
                  "- stack: {columns: [root, part]}\n"),
      CsvSchema({"a", "s"}));
  ASSERT_THAT(graph, IsOk());
  const auto made = graph->Run(MakeSamples({"-4,x-7", "4,x"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(InputOf(*made), ElementsAre(-1, 7));
  EXPECT_THAT(made->bad, ElementsAre(BadSample{1, "part is null"}));
}

std::string Repeated(const std::string& column, int times) {
  std::string text = "concat(" + column;
  for (int i = 1; i < times; ++i) text += "," + column;
  return text + ")";
}

// A graph whose ops make texts of texts: a row has 250 times the bytes after each of them.
GraphSpec ChainOf(int num_ops) {
  std::string yaml = "- parse_csv: {columns: [s], dtype: string}\n";
  std::string column = "s";
  for (int i = 0; i < num_ops; ++i) {
    const std::string made = "c" + std::to_string(i);
    yaml += "- compute: {" + made + ": '" + Repeated(column, 250) + "'}\n";
    column = made;
  }
  return GraphOfText(yaml + "- compute: {n: length(" + column +
                     ")}\n- cast: {columns: [n], dtype: float32}\n"
                     "- standardize: {columns: [n]}\n- stack: {columns: [n], into: input}\n");
}

// RunGraph() compares blocks of 1, of 7 and of all rows. 100 rows have 25 MB together.
TEST(Compute, MakesLongTextsOfFewRowsAtATime) {
  std::vector<std::string> records;
  for (int row = 0; row < 100; ++row) records.push_back(std::string(1 + row % 7, 'q'));
  const Transformed made = testing::RunGraph(ChainOf(2), CsvSchema({"s"}), MakeSamples(records));
  EXPECT_THAT(made.bad, IsEmpty());
  ASSERT_EQ(InputOf(made).size(), 100);
  EXPECT_LT(InputOf(made)[0], InputOf(made)[1]);
}

TEST(Compute, MakesABadSampleOfOneWithTooLongTexts) {
  const Transformed made = testing::RunGraph(
      ChainOf(2), CsvSchema({"s"}), MakeSamples({"a", "bc", std::string(280, 'd'), "e", "fgh"}));
  ASSERT_EQ(made.bad.size(), 1);
  EXPECT_EQ(made.bad[0].row, 2);
  EXPECT_EQ(made.bad[0].reason, "c1: the texts that it makes have more than 16 MiB");
  EXPECT_EQ(InputOf(made).size(), 4);
}

TEST(Compute, CountsTheTextsOfAllOpsOfASample) {
  const Transformed made = testing::RunGraph(
      GraphOfText("- parse_csv: {columns: [s], dtype: string}\n- parse_csv: {columns: [x]}\n"
                  "- compute: {a: '" +
                  Repeated("s", 6) +
                  "'}\n- filter: x > 0\n"
                  "- compute: {b: '" +
                  Repeated("s", 6) +
                  "'}\n"
                  "- compute: {c: '" +
                  Repeated("s", 6) +
                  "'}\n- compute: {n: length(c)}\n"
                  "- cast: {columns: [n], dtype: float32}\n- stack: {columns: [n], into: input}\n"),
      CsvSchema({"s", "x"}),
      MakeSamples({"a,1", std::string(1 << 20, 'b') + ",1", "c,0", "d,0", "e,1"}));
  ASSERT_EQ(made.bad.size(), 1);
  EXPECT_EQ(made.bad[0].row, 1);
  EXPECT_EQ(made.bad[0].reason, "c: the texts that ops make of the sample have more than 16 MiB");
}

TEST(Filter, MakesABadSampleOfOneWithTooLongTexts) {
  const Transformed made = testing::RunGraph(
      GraphOfText("- parse_csv: {columns: [s], dtype: string}\n- parse_csv: {columns: [x]}\n"
                  "- filter: 'length(" +
                  Repeated("upper(s)", 17) + ") > 17'\n- stack: {columns: [x], into: input}\n"),
      CsvSchema({"s", "x"}), MakeSamples({"aa,1", std::string(1 << 20, 'b') + ",2", "c,3"}));
  ASSERT_EQ(made.bad.size(), 1);
  EXPECT_EQ(made.bad[0].reason, "its condition: the texts that it makes have more than 16 MiB");
  EXPECT_THAT(InputOf(made), ElementsAre(1));
}

TEST(Compute, IsReadAndPrintedAsNamesAndExpressions) {
  const GraphSpec spec = GraphOfText("- compute: {x: a + 1}\n- filter: \"x > 2\"\n");
  const auto again = config::Read<GraphSpec>(config::Print(spec), "printed");
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE(*again == spec);
  EXPECT_EQ(spec[0].value.As<ComputeSpec>()->columns.at("x"), "a + 1");
}

TEST(Compute, TellsMistakesWithTheirPlace) {
  EXPECT_THAT(ComputeProblem("- compute: {x: prize + 1}"),
              HasSubstr("op 4 (compute), x: column 1 of 'prize + 1': there is no column 'prize'; "
                        "did you mean 'price'?"));
  EXPECT_THAT(ComputeProblem("- compute: {x: price + name}"),
              HasSubstr("column 7 of 'price + name': + does not take a number and a text"));
  EXPECT_THAT(ComputeProblem("- compute: {when: \"@time\"}"),
              HasSubstr("is a time, which does not make a column"));
  EXPECT_THAT(ComputeProblem("- filter: price + 1"), HasSubstr("but a boolean is needed"));
  const auto target = config::Read<GraphSpec>("- compute: {target: a}\n", "graph");
  EXPECT_THAT(target, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("op label alone")));
  const auto syntax = config::Read<GraphSpec>("- filter: \"a >\"\n", "graph");
  EXPECT_THAT(syntax, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("column 4 of 'a >'")));
}

TEST(Filter, LeavesOutWhatIsNotTrue) {
  const auto graph =
      Graph::Build(GraphOfText("- parse_csv: {columns: [a], missing: [\"\"]}\n- filter: a > 1\n"
                               "- stack\n"),
                   CsvSchema({"a"}));
  ASSERT_THAT(graph, IsOk());
  const auto made = graph->Run(MakeSamples({"1", "2", "x", "", "3"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(InputOf(*made), ElementsAre(2, 3));
  EXPECT_EQ(made->num_filtered, 2);
  ASSERT_EQ(made->bad.size(), 1U);
  EXPECT_EQ(made->bad[0].row, 2);
}

// Each row must have the same result whether or not the rows around it are dropped.
TEST(Filter, BeforeOtherOpsKeepsRowsTogether) {
  const auto graph =
      Graph::Build(GraphOfText("- parse_csv: {columns: [a, b]}\n- filter: \"a % 4 = 0\"\n"
                               "- parse_csv: {columns: [c]}\n- filter: \"a % 8 = 0\"\n- stack\n"),
                   CsvSchema({"a", "b", "c"}));
  ASSERT_THAT(graph, IsOk());
  std::vector<std::string> records;
  std::vector<float> expected;
  std::vector<int64_t> bad;
  for (int i = 0; i < 1000; ++i) {
    const bool is_bad = i % 20 == 0;
    records.push_back(fmt::format("{},{},{}", i, 2 * i, is_bad ? "?" : std::to_string(3 * i)));
    if (i % 4 == 0 && is_bad) bad.push_back(i);
    if (i % 8 != 0 || is_bad) continue;
    for (const int factor : {1, 2, 3}) expected.push_back(static_cast<float>(factor * i));
  }
  const auto made = graph->Run(MakeSamples(records), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(InputOf(*made), expected);
  std::vector<int64_t> found;
  for (const BadSample& sample : made->bad) found.push_back(sample.row);
  EXPECT_EQ(found, bad);
  EXPECT_EQ(made->num_filtered + std::ssize(bad) + made->batch.num_rows(), 1000);
}

TEST(Filter, MayLeaveNothing) {
  const auto graph =
      Graph::Build(GraphOfText("- parse_csv: {columns: [a]}\n- filter: a > 9\n- log1p\n- stack\n"),
                   CsvSchema({"a"}));
  ASSERT_THAT(graph, IsOk());
  const auto made = graph->Run(MakeSamples({"1", "2"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->batch.num_rows(), 0);
  EXPECT_EQ(made->num_filtered, 2);
  EXPECT_THAT(made->bad, IsEmpty());
}

}  // namespace
}  // namespace tidemill::transform

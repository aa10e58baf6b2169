#include "transform/graph.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "fmt/format.h"

#include "base/digest.h"
#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/fitter.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunInBlocks;
using testing::Spec;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr std::string_view kElec2 = R"(
dataset: elec2
graph:
  - parse_csv: {columns: [day, period, nswprice, nswdemand, vicprice, vicdemand, transfer], dtype: float32}
  - standardize: {columns: all}             # fitted after selection, stored with the model
  - stack: {columns: all, into: input}
  - label: {into: target}
)";

SampleSchema Elec2() {
  SampleSchema schema = CsvSchema({"timestamp", "date", "day", "period", "nswprice", "nswdemand",
                                   "vicprice", "vicdemand", "transfer", "class"});
  schema.num_classes = 2;
  return schema;
}

PreprocessSpec MustRead(std::string_view yaml) {
  const absl::StatusOr<PreprocessSpec> spec = config::Read<PreprocessSpec>(yaml, "p.yaml");
  EXPECT_THAT(spec, IsOk());
  return spec.value_or(PreprocessSpec());
}

TEST(GraphSpec, ReadsAPipelineAndPrintsWhatReadsBackEqual) {
  const PreprocessSpec spec = MustRead(kElec2);
  EXPECT_EQ(spec.dataset, "elec2");
  ASSERT_EQ(spec.graph.size(), 4);
  EXPECT_EQ(spec.graph[0].value.As<ParseCsvSpec>()->columns.Names().size(), 7);
  EXPECT_TRUE(spec.graph[1].value.As<StandardizeSpec>()->columns.IsAll());
  EXPECT_EQ(MustRead(config::Print(spec)), spec);
}

TEST(GraphSpec, ReadsEveryOpWithAllItsKeys) {
  const PreprocessSpec spec = MustRead(R"(
dataset: d
graph:
  - parse_csv: {columns: [a], dtype: string}
  - parse_record: {fields: [{name: x, offset: 4, dtype: int16, shape: [2, 3], endianness: big}]}
  - decode_image: {height: 32, width: 24, channels: 1, into: image}
  - normalize: {column: image, scale: 0.00392156862745098, mean: [0.1, 0.2], std: [1, 2], into: y}
  - standardize
  - one_hot: {column: a, categories: [sun, "no"], unknown: bad_sample}
  - hash_buckets: {column: a, buckets: 1_000, seed: 3, into: b}
  - cast: {columns: [b], dtype: int32}
  - reshape: {column: image, shape: [3, 32, 32]}
  - stack
  - label
)");
  ASSERT_EQ(spec.graph.size(), 11);
  EXPECT_EQ(spec.graph[1].value.As<ParseRecordSpec>()->fields[0].endianness, Endianness::kBig);
  EXPECT_THAT(spec.graph[3].value.As<NormalizeSpec>()->deviation, ElementsAre(1, 2));
  EXPECT_EQ(spec.graph[6].value.As<HashBucketsSpec>()->buckets, 1000);
  EXPECT_EQ(MustRead(config::Print(spec)), spec);
}

TEST(GraphSpec, PointsAtTheKeyThatIsWrong) {
  EXPECT_THAT(
      config::Read<PreprocessSpec>("dataset: d\ngraph:\n  - parse_csv: {colums: [a]}\n", "p.yaml"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               ::testing::AllOf(HasSubstr("p.yaml:3:"), HasSubstr("columns"))));
  EXPECT_THAT(config::Read<PreprocessSpec>(
                  "dataset: d\ngraph:\n  - one_hot: {column: a, classes: 2, learn: 3}\n", "p.yaml"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("give one of categories, categories_file, classes and learn")));
}

TEST(Graph, RunsElec2FromRecordsToTensors) {
  const absl::StatusOr<Graph> graph = Graph::Build(MustRead(kElec2).graph, Elec2());
  ASSERT_THAT(graph, IsOk());
  EXPECT_TRUE(graph->needs_fit());
  EXPECT_EQ(graph->input(), (ColumnSchema{"input", batch::DataType::kFloat32, {7}}));
  EXPECT_EQ(graph->target(), (ColumnSchema{"target", batch::DataType::kInt64, {}}));
  batch::Batch samples =
      MakeSamples({"1996-05-07T00:00,0,2,0,0.056443,0.439155,0.003467,0.422915,0.414912,UP",
                   "1996-05-07T00:30,0,2,0.021277,0.051699,x,0.003467,0.422915,0.414912,UP",
                   "1996-05-07T01:00,0,4,0.5,0.051489,0.385004,0.003467,0.422915,0.414912,DOWN"},
                  {1, 1, 0});
  const float weights[] = {0.5F, 1, 2};
  ASSERT_THAT(samples.Set(batch::MakeColumn<float>(batch::kWeightColumn, weights)), IsOk());
  Fitter fitter(*graph);
  ASSERT_THAT(fitter.Add(samples), IsOk());
  const absl::StatusOr<FittedState> fitted = fitter.Finish();
  ASSERT_THAT(fitted, IsOk());
  const absl::StatusOr<Transformed> result = graph->Run(samples, &*fitted);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(Numbers<float>(result->batch, "input"),
              ElementsAre(-1, -1, 1, 1, 0, 0, 0, 1, 1, -1, -1, 0, 0, 0));
  EXPECT_THAT(Numbers<int64_t>(result->batch, "target"), ElementsAre(1, 0));
  EXPECT_THAT(Numbers<float>(result->batch, "weight"), ElementsAre(0.5, 2));
  EXPECT_THAT(Numbers<int64_t>(result->batch, "key"), ElementsAre(100, 102));
  EXPECT_EQ(result->batch.Find(batch::kPayloadColumn), nullptr);
  EXPECT_THAT(result->bad, ElementsAre(BadSample{1, "column nswdemand: 'x' is not a number"}));
}

// Records of which about one in ten is bad in one of several ways.
std::vector<std::string> MessyRecords(int count) {
  std::mt19937 random(5);
  std::vector<std::string> records;
  for (int i = 0; i < count; ++i) {
    const uint32_t kind = random() % 50;
    const std::string number = kind == 0 ? "?" : fmt::format("{}", random() % 1000 / 8.0);
    const std::string word = fmt::format("w{}", random() % 7);
    records.push_back(kind == 1   ? number
                      : kind == 2 ? fmt::format("{},\"{}", number, word)
                                  : fmt::format("{},{}", number, word));
  }
  return records;
}

TEST(Graph, MakesTheSameOfASampleInWhateverBlockItComes) {
  const GraphSpec spec = Spec(
      ParseCsvSpec{.columns = {"x"}}, ParseCsvSpec{.columns = {"word"}, .dtype = CsvType::kString},
      HashBucketsSpec{.column = "word", .buckets = 5},
      OneHotSpec{.column = "word", .classes = 4, .unknown = UnknownCategory::kBadSample},
      StackSpec{}, LabelSpec{});
  const absl::StatusOr<Graph> graph = Graph::Build(spec, CsvSchema({"x", "word"}));
  ASSERT_THAT(graph, IsOk());
  std::vector<std::optional<int64_t>> labels;
  for (int i = 0; i < 2003; ++i) {
    labels.push_back(i % 11 == 3 ? std::nullopt : std::optional<int64_t>(i % 10));
  }
  const batch::Batch samples = MakeSamples(MessyRecords(2003), labels);
  const absl::StatusOr<Transformed> whole = graph->Run(samples, nullptr);
  ASSERT_THAT(whole, IsOk());
  EXPECT_GT(whole->bad.size(), 100);
  EXPECT_EQ(whole->bad.size() + whole->batch.num_rows(), 2003);
  for (const int64_t block : {1, 7, 1000}) {
    const absl::StatusOr<Transformed> cut = RunInBlocks(*graph, samples, nullptr, block);
    ASSERT_THAT(cut, IsOk());
    EXPECT_EQ(cut->bad, whole->bad);
    for (const char* name : {"key", "target"}) {
      EXPECT_EQ(Numbers<int64_t>(cut->batch, name), Numbers<int64_t>(whole->batch, name));
    }
    EXPECT_EQ(Numbers<float>(cut->batch, "input"), Numbers<float>(whole->batch, "input"));
  }
}

TEST(Graph, RunsOnManyThreadsAtOnce) {
  const absl::StatusOr<Graph> graph =
      Graph::Build(Spec(ParseCsvSpec{.columns = {"x"}}, StackSpec{}), CsvSchema({"x", "word"}));
  ASSERT_THAT(graph, IsOk());
  const batch::Batch samples = MakeSamples(MessyRecords(500));
  const absl::StatusOr<Transformed> expected = graph->Run(samples, nullptr);
  ASSERT_THAT(expected, IsOk());
  std::vector<std::vector<float>> results(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<float>& result : results) {
      threads.emplace_back([&] {
        for (int round = 0; round < 20; ++round) {
          const absl::StatusOr<Transformed> made = graph->Run(samples, nullptr);
          if (made.ok()) result = Numbers<float>(made->batch, "input");
        }
      });
    }
  }
  for (const std::vector<float>& result : results) {
    EXPECT_EQ(result, Numbers<float>(expected->batch, "input"));
  }
}

TEST(Graph, ExchangesAColumnOfTheRecordsBeforeLaterOpsSeeIt) {
  const PreprocessSpec spec = MustRead(R"(
dataset: d
graph:
  - parse_csv: {columns: [sky], dtype: string}
  - parse_csv: {columns: [wind, unused]}
  - one_hot: {column: sky, categories: [sun, rain], into: skies}
  - stack: {columns: [wind, skies]}
)");
  const auto graph = Graph::Build(spec.graph, CsvSchema({"sky", "wind", "unused"}));
  ASSERT_THAT(graph, IsOk());
  std::vector<std::string> names;
  for (const ColumnSchema& column : graph->record_columns()) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("sky", "wind"));
  const batch::Batch samples = MakeSamples({"sun,1,0", "rain,2,0", "sun,3,0"});
  const std::vector<int64_t> next = {1, 2, 0};
  const auto shuffled = graph->RunShuffled(samples, nullptr, "sky", next);
  ASSERT_THAT(shuffled, IsOk());
  const auto by_hand = graph->Run(MakeSamples({"rain,1,0", "sun,2,0", "sun,3,0"}), nullptr);
  EXPECT_EQ(Numbers<float>(shuffled->batch, "input"), Numbers<float>(by_hand->batch, "input"));
  EXPECT_THAT(graph->RunShuffled(samples, nullptr, "skies", next),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("skies")));
}

TEST(Graph, OfAnEmptyBlockIsAnEmptyBlock) {
  const absl::StatusOr<Graph> graph = Graph::Build(
      Spec(ParseCsvSpec{.columns = {"x", "y"}}, StackSpec{}, LabelSpec{}), CsvSchema({"x", "y"}));
  ASSERT_THAT(graph, IsOk());
  batch::Batch samples(0);
  ASSERT_THAT(samples.Set(batch::MakeColumn<int64_t>("key", {})), IsOk());
  ASSERT_THAT(samples.Set(batch::MakeColumn<int64_t>("class_label", {})), IsOk());
  ASSERT_THAT(samples.Set(batch::MakeBinaryColumn("payload", {})), IsOk());
  const absl::StatusOr<Transformed> result = graph->Run(samples, nullptr);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->batch.num_rows(), 0);
  EXPECT_EQ(result->batch.Find("input")->shape, std::vector<int64_t>({2}));
}

// Whether a target that `ops` make of a label is still the label, in its own units.
template <typename... Ops>
bool TargetIsLabel(Ops... ops) {
  const GraphSpec spec =
      Spec(ParseCsvSpec{.columns = {"a"}}, Log1pSpec{}, StackSpec{}, std::move(ops)...);
  return testing::MustBuild(spec, CsvSchema({"a", "target"})).target_is_label();
}

TEST(Graph, KnowsATargetThatIsNotTheLabelAnyMore) {
  const config::ColumnList target{"target"};
  EXPECT_TRUE(TargetIsLabel(LabelSpec{})) << "log1p changes another column";
  EXPECT_TRUE(TargetIsLabel(LabelSpec{}, StandardizeSpec{.columns = target}))
      << "what is standardised is put back";
  EXPECT_FALSE(TargetIsLabel(LabelSpec{}, Log1pSpec{.columns = target}));
  EXPECT_FALSE(
      TargetIsLabel(LabelSpec{}, Log1pSpec{.columns = target}, StandardizeSpec{.columns = target}))
      << "into the units of the logarithm";
  EXPECT_FALSE(TargetIsLabel(ParseCsvSpec{.columns = {"target"}}));
}

TEST(Graph, FingerprintFollowsWhatChangesResultsOnly) {
  const auto fingerprint = [](std::string column, std::string_view digest) {
    const absl::StatusOr<Graph> graph = Graph::Build(
        Spec(ParseCsvSpec{.columns = {std::move(column)}}, StackSpec{}), CsvSchema({"a", "b"}));
    return graph.ok() ? graph->Fingerprint(digest) : "";
  };
  const std::string base = fingerprint("a", "");
  EXPECT_EQ(base.size(), 64);
  EXPECT_EQ(fingerprint("a", ""), base);
  EXPECT_NE(fingerprint("b", ""), base);
  EXPECT_NE(fingerprint("a", "digest"), base);
}

TEST(Graph, FindsTheStateOfAModelOfAnEarlierVersion) {
  const auto graph =
      Graph::Build(Spec(ParseCsvSpec{.columns = {"a"}}, StackSpec{}), CsvSchema({"a"}));
  ASSERT_THAT(graph, IsOk());
  EXPECT_EQ(graph->spec_digest(), Sha256("- parse_csv:\n"
                                         "    columns: [a]\n"
                                         "    dtype: float32\n"
                                         "    rows: last\n"
                                         "    suffix: \"\"\n"
                                         "    missing: []\n"
                                         "    autocache: false\n"
                                         "- stack:\n"
                                         "    columns: all\n"
                                         "    into: input\n"
                                         "    by: sample\n"
                                         "    autocache: false\n"));
}

TEST(Graph, CanBeCheckedBeforeColumnNamesAreKnownButNotRun) {
  SampleSchema schema = CsvSchema({});
  schema.columns.reset();
  const absl::StatusOr<Graph> graph =
      Graph::Build(Spec(ParseCsvSpec{.columns = {"x"}}, StackSpec{}), schema);
  ASSERT_THAT(graph, IsOk());
  EXPECT_THAT(graph->Run(MakeSamples({"1"}), nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not known yet")));
}

TEST(Graph, AsksForTheColumnsItNeedsOfTheSamples) {
  const absl::StatusOr<Graph> graph =
      Graph::Build(Spec(ParseCsvSpec{.columns = {"x"}}, StackSpec{}), CsvSchema({"x"}));
  ASSERT_THAT(graph, IsOk());
  batch::Batch samples = MakeSamples({"1"});
  samples.Drop(batch::kPayloadColumn);
  EXPECT_THAT(graph->Run(samples, nullptr),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("op 1 (parse_csv)")));
}

struct BrokenCase {
  GraphSpec spec;
  SampleSchema schema;
  std::vector<GraphProblem> problems;
};

TEST(Graph, SaysWhatIsWrongWhereAndWhatToDo) {
  SampleSchema no_label = CsvSchema({"a", "s"});
  no_label.label = LabelKind::kNone;
  const SampleSchema csv = CsvSchema({"a", "s"});
  const SampleSchema record{.payload = PayloadKind::kRecord, .record_bytes = 10};
  const ParseCsvSpec a{.columns = {"a"}};
  const ParseCsvSpec s{.columns = {"s"}, .dtype = CsvType::kString};
  const ParseRecordSpec x{.fields = {{.name = "x", .shape = {3, 2}}}};
  const BrokenCase cases[] = {
      {Spec(ParseCsvSpec{.columns = {"b"}}, StackSpec{}),
       csv,
       {{0, "columns[0]", "the dataset has no column b", "its columns are a, s"}}},
      {Spec(a, a, StackSpec{}),
       csv,
       {{1, "columns", "column a already exists", "give it another name"}}},
      {Spec(a, StackSpec{}, LabelSpec{}),
       no_label,
       {{2, "", "the dataset has no labels", "give the dataset a `label` section"}}},
      {Spec(a, StackSpec{.columns = {"s"}}),
       csv,
       {{1, "columns", "there is no column s",
         "the dataset has this column: parse it first, with parse_csv: {columns: [s]}"}}},
      {Spec(a, StackSpec{.columns = {"q"}}),
       csv,
       {{1, "columns", "there is no column q", "columns made so far: a"}}},
      {Spec(StackSpec{}, a),
       csv,
       {{0, "columns", "there is no column to work on",
         "begin the graph with parse_csv, parse_record or decode_image"}}},
      {Spec(a, s, StackSpec{}),
       csv,
       {{2, "columns", "column s holds text",
         "turn it into numbers with one_hot or hash_buckets, or name the columns"}}},
      {Spec(a, StackSpec{.columns = {"a", "a"}}),
       csv,
       {{1, "columns", "column a is named twice", ""}}},
      {Spec(a),
       csv,
       {{1, "", "no op makes the column `input`, which the model takes",
         "end with stack: {columns: all, into: input}"}}},
      {Spec(a, StackSpec{}),
       record,
       {{0, "", "parse_csv needs a dataset of format csv",
         "use parse_json for JSON lines, parse_record for binary records"}}},
      {Spec(ParseRecordSpec{.fields = {{.name = "x", .offset = 5, .shape = {6}}}}, StackSpec{}),
       record,
       {{0, "fields", "field x ends at byte 11, but a record has 10",
         "check offset, dtype and shape; the label's bytes do not count"}}},
      {Spec(x, ReshapeSpec{.column = "x", .shape = {7}}, StackSpec{}),
       record,
       {{1, "shape", "[7] holds 7 numbers, but column x has 6 in each row", ""}}},
      {Spec(x, NormalizeSpec{.column = "x", .mean = {1, 2}}, StackSpec{}),
       record,
       {{1, "mean", "has 2 numbers for a column of 3 channels",
         "give one number, or one per channel"}}},
      {Spec(x, NormalizeSpec{.column = "x", .deviation = {0}}, StackSpec{}),
       record,
       {{1, "std", "holds 0", "give a finite number; std must not be 0"}}},
      {Spec(x, ReshapeSpec{.column = "x", .shape = {6}, .into = "input"}),
       record,
       {{2, "", "the column input is uint8, but models take float32 and int64",
         "make it with stack, which gives float32, or cast"}}},
      {Spec(a, OneHotSpec{.column = "a", .categories = {"1"}}, StackSpec{}),
       csv,
       {{1, "column", "column a is float32, not text",
         "parse it with dtype: string, or use classes for whole numbers"}}},
      {Spec(a, HashBucketsSpec{.column = "a", .buckets = 3}, StackSpec{}),
       csv,
       {{1, "column", "column a is float32, but it must be text or whole numbers",
         "parse it with dtype: string or int64"}}},
      {Spec(DecodeImageSpec{.height = 8, .width = 8}, StackSpec{}),
       record,
       {{0, "", "decode_image needs samples that are files, or a column of files",
         "use parse_csv or parse_record, or name a column of strings"}}},
      {Spec(a, StackSpec{}, LabelSpec{}, StandardizeSpec{.columns = {"target"}},
            CastSpec{.columns = {"target"}, .dtype = CastType::kFloat32}),
       csv,
       {{4, "",
         "changes the column target after op 4 has standardised it, so its units cannot be "
         "restored",
         "standardise the target last"}}},
      {Spec(ParseRecordSpec{.fields = {{.name = "x", .shape = {1 << 20, 1 << 20}}}}, StackSpec{}),
       {.payload = PayloadKind::kRecord},
       {{0, "fields", "[1048576, 1048576] is too large",
         "a sample may have at most 268435456 numbers in a column"}}},
  };
  for (const BrokenCase& broken : cases) {
    EXPECT_EQ(Graph::Check(broken.spec, broken.schema), broken.problems)
        << broken.problems[0].message;
  }
}

TEST(Graph, ReportsAllProblemsAtOnceWithThePlaceOfTheirOps) {
  const absl::StatusOr<Graph> graph = Graph::Build(
      Spec(ParseCsvSpec{.columns = {"a", "oops"}}, StandardizeSpec{.columns = {"b"}}, StackSpec{}),
      CsvSchema({"a", "b"}));
  EXPECT_THAT(
      graph,
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          "op 1 (parse_csv), columns[1]: the dataset has no column oops (its columns are a, b); "
          "op 2 (standardize), columns: there is no column b (the dataset has this column: "
          "parse it first, with parse_csv: {columns: [b]})"));
}

}  // namespace
}  // namespace tidemill::transform

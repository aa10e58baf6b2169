#include "transform/engine/stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "config/config.h"
#include "transform/graph.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kRecords;
using testing::MakeSamples;
using testing::MustBuild;
using testing::Numbers;
using testing::RowsFrom;
using testing::Spec;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

using Random = std::mt19937;

const config::ColumnList kAll = config::ColumnList::All();

int64_t Below(Random& random, int64_t end) { return static_cast<int64_t>(random() % end); }

template <typename T>
T Pick(Random& random, std::initializer_list<T> values) {
  return values.begin()[Below(random, std::ssize(values))];
}

// Numbers of all sizes, among them some that are missing and some that ops cannot treat.
double SomeNumber(Random& random) {
  switch (Below(random, 200)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return -static_cast<double>(Below(random, 400)) / 8;
    case 2:
      return 1e30;
    default:
      return static_cast<double>(Below(random, 4000)) / 16;
  }
}

SampleSchema Columns() { return CsvSchema({"a", "b", "c", "d", "e"}); }

// Records of two float32 columns, two float64 and one of whole numbers.
batch::Batch CsvSamples(Random& random, int64_t num_rows) {
  std::vector<std::string> records;
  std::vector<std::optional<int64_t>> labels;
  const auto text = [&] {
    const double number = SomeNumber(random);
    return std::isnan(number) ? std::string() : fmt::format("{}", number);
  };
  for (int64_t row = 0; row < num_rows; ++row) {
    records.push_back(
        fmt::format("{},{},{},{},{}", text(), text(), text(), text(), Below(random, 250) - 1));
    labels.emplace_back(Below(random, 10));
  }
  return MakeSamples(records, labels);
}

GraphSpec CsvColumns() {
  return Spec(ParseCsvSpec{.columns = {"a", "b"}, .dtype = CsvType::kFloat32, .missing = {""}},
              ParseCsvSpec{.columns = {"c", "d"}, .dtype = CsvType::kFloat64, .missing = {""}},
              ParseCsvSpec{.columns = {"e"}, .dtype = CsvType::kInt64});
}

// The same with many numbers a row.
GraphSpec RecordColumns() {
  return Spec(ParseRecordSpec{
      .fields = {{.name = "a", .offset = 0, .dtype = RecordType::kFloat32, .shape = {3, 7}},
                 {.name = "b", .offset = 84, .dtype = RecordType::kFloat32, .shape = {5}},
                 {.name = "c", .offset = 104, .dtype = RecordType::kFloat64, .shape = {4}},
                 {.name = "d", .offset = 136, .dtype = RecordType::kFloat64},
                 {.name = "e", .offset = 144, .dtype = RecordType::kInt64, .shape = {2}}}});
}

batch::Batch RecordSamples(Random& random, int64_t num_rows) {
  std::vector<std::string> records;
  for (int64_t row = 0; row < num_rows; ++row) {
    std::string record;
    const auto add = [&](auto number) {
      record.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    // A record may hold no NaN; one in some hundred ends early.
    const auto number = [&] {
      const double value = SomeNumber(random);
      return std::isnan(value) ? 0 : value;
    };
    for (int i = 0; i < 26; ++i) add(static_cast<float>(number()));
    for (int i = 0; i < 5; ++i) add(number());
    for (int i = 0; i < 2; ++i) add(Below(random, 250) - 1);
    if (Below(random, 300) == 0) record.resize(100);
    records.push_back(std::move(record));
  }
  return MakeSamples(records);
}

// One or two of the columns, or all.
config::ColumnList SomeColumns(Random& random) {
  if (Below(random, 3) == 0) return kAll;
  std::vector<std::string> names = {Pick<std::string>(random, {"a", "b", "c"})};
  if (Below(random, 2) == 0) names.push_back(Pick<std::string>(random, {"d", "e"}));
  return names;
}

OpSpec SomeOp(Random& random, int number) {
  switch (Below(random, 8)) {
    case 0:
      return FillMissingSpec{.columns = SomeColumns(random),
                             .with = Pick(random, {Filling::kMean, Filling::kMedian}),
                             .indicator = Below(random, 2) == 0};
    case 1:
      return FillMissingSpec{.columns = kAll, .number = 3.5};
    case 2:
      return ClipSpec{
          .columns = SomeColumns(random), .min = 1, .max = Pick(random, {150.0, 900.0})};
    case 3:
      return Log1pSpec{
          .columns = SomeColumns(random),
          .negative = Pick(random, {NegativeNumber::kBadSample, NegativeNumber::kZero})};
    case 4:
      return NormalizeSpec{.column = Pick<std::string>(random, {"a", "b", "c", "d", "e"}),
                           .scale = Pick(random, {0.1, 3.0, 1e30}),
                           .mean = {0.3},
                           .deviation = {1.7},
                           .into = Below(random, 2) == 0 ? "" : fmt::format("n{}", number)};
    case 5:
      return StandardizeSpec{.columns = SomeColumns(random)};
    case 6:
      return CastSpec{
          .columns = SomeColumns(random),
          .dtype = Pick(random, {CastType::kFloat32, CastType::kFloat64, CastType::kInt64,
                                 CastType::kInt32, CastType::kUInt8})};
    default:
      return StackSpec{.columns = {"a", "c"}, .into = fmt::format("s{}", number)};
  }
}

// Ops at random after those that parse, so far as they go together, and what makes `input`.
GraphSpec SomeGraph(Random& random, GraphSpec graph, const SampleSchema& schema) {
  for (int number = 0; number < 7; ++number) {
    GraphSpec longer = graph;
    longer.push_back({SomeOp(random, number)});
    GraphSpec closed = longer;
    closed.push_back({StackSpec{}});
    if (Graph::Check(closed, schema).empty()) graph = std::move(longer);
  }
  StackSpec stack;
  if (Below(random, 3) == 0) {
    stack.columns = {Pick<std::string>(random, {"a", "b"})};
  }
  graph.push_back({stack});
  return graph;
}

// False when no sample is good enough to learn from.
bool ExpectTheSame(const GraphSpec& spec, const SampleSchema& schema, const batch::Batch& samples) {
  const absl::StatusOr<Graph> fused = Graph::Build(spec, schema);
  const absl::StatusOr<Graph> unfused = Graph::Build(spec, schema, Fusion::kOff);
  EXPECT_THAT(fused, IsOk());
  EXPECT_THAT(unfused, IsOk());
  EXPECT_LT(fused->stages().size(), unfused->stages().size());
  EXPECT_EQ(fused->Fingerprint(), unfused->Fingerprint());
  Fitter fitter(*fused);
  const absl::StatusOr<FittedState> fitted = testing::Fit(fitter, samples, samples.num_rows());
  if (absl::IsFailedPrecondition(fitted.status())) return false;
  EXPECT_THAT(fitted, IsOk());
  for (const int64_t num_rows : {int64_t{1}, int64_t{7}, samples.num_rows()}) {
    const batch::Batch some = RowsFrom(samples, 0, num_rows);
    const absl::StatusOr<Transformed> ours = fused->Run(some, &*fitted);
    const absl::StatusOr<Transformed> theirs = unfused->Run(some, &*fitted);
    EXPECT_THAT(ours, IsOk());
    EXPECT_THAT(theirs, IsOk());
    EXPECT_EQ(ours->bad, theirs->bad);
    EXPECT_TRUE(batch::Encode(ours->batch) == batch::Encode(theirs->batch));
  }
  return true;
}

TEST(Stage, MakesWhatItsOpsMakeOneByOneToTheLastBit) {
  int num_compared = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const bool csv = seed % 2 == 0;
    const SampleSchema schema = csv ? Columns() : kRecords;
    const GraphSpec spec = SomeGraph(random, csv ? CsvColumns() : RecordColumns(), schema);
    const batch::Batch samples = csv ? CsvSamples(random, 2048) : RecordSamples(random, 2048);
    SCOPED_TRACE(config::Print(spec));
    if (ExpectTheSame(spec, schema, samples)) ++num_compared;
  }
  EXPECT_GT(num_compared, 40);
}

TEST(Stage, LeavesImagesAsTheirOpsMakeThemOneByOne) {
  std::vector<std::string> records;
  Random random(7);
  for (int row = 0; row < 40; ++row) {
    std::string record(row % 9 == 4 ? 100 : 3 * 40 * 50, '\0');
    for (char& byte : record) byte = static_cast<char>(random());
    records.push_back(std::move(record));
  }
  batch::Batch samples = MakeSamples(records);
  testing::SetOrdinals(samples);
  const GraphSpec spec =
      Spec(ParseRecordSpec{.fields = {{.name = "image", .shape = {3, 40, 50}}}},
           ResizeSpec{.height = 20, .width = 31, .antialias = true},
           RandomCropSpec{.height = 16, .width = 16, .padding = 2}, RandomFlipSpec{},
           PadSpec{.column = "image", .before = {0, 1, 1}, .after = {0, 1, 1}},
           NormalizeSpec{.column = "image", .mean = {1, 2, 3}, .deviation = {50}}, StackSpec{});
  const Graph fused = MustBuild(spec, kRecords);
  const absl::StatusOr<Graph> unfused = Graph::Build(spec, kRecords, Fusion::kOff);
  ASSERT_THAT(unfused, IsOk());
  EXPECT_THAT(fused.stages(), ElementsAre(GraphStage{0, 7}));
  for (const bool training : {false, true}) {
    const RunContext context{.training = training, .seed = 3, .epoch = 2};
    const absl::StatusOr<Transformed> ours = fused.Run(samples, nullptr, context);
    const absl::StatusOr<Transformed> theirs = unfused->Run(samples, nullptr, context);
    ASSERT_THAT(ours, IsOk());
    ASSERT_THAT(theirs, IsOk());
    EXPECT_EQ(ours->bad, theirs->bad);
    EXPECT_EQ(ours->batch.num_rows(), 36);
    EXPECT_TRUE(batch::Encode(ours->batch) == batch::Encode(theirs->batch));
  }
}

TEST(Stage, LeavesTheColumnsThatOthersHoldUnchanged) {
  // The column a is used again after the stage that clips it into another.
  const GraphSpec spec = Spec(ParseCsvSpec{.columns = {"a"}, .dtype = CsvType::kFloat32},
                              NormalizeSpec{.column = "a", .scale = 2, .into = "twice"},
                              ClipSpec{.columns = {"twice"}, .max = 5},
                              ReshapeSpec{.column = "a", .shape = {1}, .into = "input_a"},
                              StackSpec{.columns = {"twice"}});
  const Graph graph = MustBuild(spec, CsvSchema({"a"}));
  EXPECT_THAT(graph.stages(),
              ElementsAre(GraphStage{0, 1}, GraphStage{1, 2}, GraphStage{3, 1}, GraphStage{4, 1}));
  const absl::StatusOr<Transformed> made = graph.Run(MakeSamples({"1", "2", "4"}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(Numbers<float>(made->batch, "input"), ElementsAre(2, 4, 5));
  EXPECT_THAT(Numbers<float>(made->batch, "input_a"), ElementsAre(1, 2, 4));
}

TEST(Stage, RunsWithoutSamples) {
  const GraphSpec spec =
      Spec(ParseRecordSpec{.fields = {{.name = "a"}}}, NormalizeSpec{.column = "a"}, StackSpec{});
  const absl::StatusOr<Transformed> made = MustBuild(spec, kRecords).Run(MakeSamples({}), nullptr);
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->batch.num_rows(), 0);
  batch::Batch none(0);
  EXPECT_THAT(MustBuild(spec, kRecords).Run(none, nullptr),
              StatusIs(absl::StatusCode::kNotFound, ::testing::HasSubstr("op 1 (parse_record)")));
}

const GraphSpec kCounted = Spec(ParseCsvSpec{.columns = {"a", "b"}, .dtype = CsvType::kFloat32},
                                Log1pSpec{}, CastSpec{.columns = kAll, .dtype = CastType::kFloat64},
                                ClipSpec{.columns = kAll, .max = 2}, StackSpec{}, LabelSpec{});

batch::Batch CountedSamples() {
  return MakeSamples({"1,2", "x,2", "-1,2", "3,4", "5,6"}, {1, 1, 1, std::nullopt, 1});
}

TEST(OpCounters, CountWhatEveryOpDidWhetherFusedOrNot) {
  for (const Fusion fusion : {Fusion::kOn, Fusion::kOff}) {
    const absl::StatusOr<Graph> graph = Graph::Build(kCounted, CsvSchema({"a", "b"}), fusion);
    ASSERT_THAT(graph, IsOk());
    OpCounters counters(graph->op_types());
    ASSERT_THAT(graph->Run(CountedSamples(), nullptr, {}, &counters), IsOk());
    ASSERT_THAT(graph->Run(CountedSamples(), nullptr, {}, &counters), IsOk());
    std::vector<OpStatistics> statistics = counters.Snapshot();
    int64_t wall_ns = 0;
    for (OpStatistics& op : statistics) {
      wall_ns += op.work.wall_ns;
      EXPECT_GE(op.work.wall_ns, 0);
      EXPECT_GE(op.work.cpu_ns, 0);
      op.work.wall_ns = op.work.cpu_ns = 0;
    }
    EXPECT_GT(wall_ns, 0);
    const auto of = [](std::string type, int64_t rows, int64_t rejected, int64_t bytes) {
      return OpStatistics{std::move(type), {2, 2 * rows, 2 * rejected, 2 * bytes}};
    };
    EXPECT_THAT(statistics,
                ElementsAre(of("parse_csv", 5, 1, 5 * 2 * 4), of("log1p", 4, 1, 5 * 2 * 4),
                            of("cast", 3, 0, 5 * 2 * 8), of("clip", 3, 0, 5 * 2 * 8),
                            of("stack", 3, 0, 5 * 2 * 4), of("label", 3, 1, 5 * 8)));
  }
}

TEST(OpCounters, AddUpOverThreads) {
  const Graph graph = MustBuild(kCounted, CsvSchema({"a", "b"}));
  const batch::Batch samples = CountedSamples();
  OpCounters counters(graph.op_types());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int run = 0; run < 50; ++run) {
        EXPECT_THAT(graph.Run(samples, nullptr, {}, &counters), IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counters.Snapshot()[1].work.runs, 200);
  EXPECT_EQ(counters.Snapshot()[1].work.rows, 200 * 4);
  EXPECT_EQ(counters.Snapshot()[1].work.rejected, 200);
}

TEST(OpCounters, OfTwoProcessesAreMergedWhenTheyBelongToTheSameOps) {
  const std::vector<OpStatistics> one = {{"clip", {1, 10, 2, 40, 5, 6}}};
  std::vector<OpStatistics> total;
  ASSERT_THAT(Merge(one, total), IsOk());
  ASSERT_THAT(Merge(one, total), IsOk());
  EXPECT_THAT(total, ElementsAre(OpStatistics{"clip", {2, 20, 4, 80, 10, 12}}));
  const std::vector<OpStatistics> other = {{"cast", {}}};
  EXPECT_THAT(Merge(other, total), StatusIs(absl::StatusCode::kInvalidArgument,
                                            "op 1 is clip in one graph and cast in the other"));
  EXPECT_THAT(Merge({}, total), StatusIs(absl::StatusCode::kInvalidArgument,
                                         "statistics of 0 ops do not match statistics of 1 ops"));
}

}  // namespace
}  // namespace tidemill::transform

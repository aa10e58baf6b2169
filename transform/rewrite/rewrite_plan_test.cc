#include "transform/rewrite/rewrite_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "config/config.h"
#include "transform/fitter.h"
#include "transform/graph.h"
#include "transform/testing/random_graphs.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kRecords;
using testing::MakeSamples;
using testing::MustBuild;
using testing::Numbers;
using testing::RandomCase;
using testing::RandomCases;
using testing::RowsFrom;
using testing::Spec;
using tidemill::testing::IsOk;

GraphSpec ReadGraph(const std::string& yaml) {
  const absl::StatusOr<GraphSpec> spec = config::Read<GraphSpec>(yaml, "graph.yaml");
  EXPECT_THAT(spec, IsOk());
  return spec.value_or(GraphSpec());
}

Graph AsWritten(const GraphSpec& spec, const SampleSchema& schema) {
  absl::StatusOr<Graph> graph = Graph::Build(spec, schema, Fusion::kOn, Rewriting::kOff);
  EXPECT_THAT(graph, IsOk());
  return *std::move(graph);
}

std::vector<std::string> Reasons(const Graph& graph) {
  std::vector<std::string> reasons;
  for (const Rewrite& rewrite : graph.rewrites()) reasons.push_back(rewrite.reason);
  return reasons;
}

// Images of bytes, of floats and numbers; then these ops, and what makes `input`.
Graph OfImages(const std::string& ops) {
  const std::string parse =
      "- parse_record:\n"
      "    fields: [{name: image, shape: [3, 8, 8]}, {name: plane, shape: [8, 8], offset: 192},\n"
      "             {name: real, dtype: float32, shape: [3, 8, 8], offset: 256},\n"
      "             {name: y, dtype: float32, offset: 1024}]\n";
  return MustBuild(ReadGraph(parse + ops + "- stack: {columns: [image, plane, real, y]}\n"),
                   kRecords);
}

// The numbers a and b, of which b may be missing, and whole numbers n; then these ops.
Graph OfNumbers(const std::string& ops) {
  const std::string parse =
      "- parse_csv: {columns: [a], dtype: float32}\n"
      "- parse_csv: {columns: [b], dtype: float32, missing: [\"\"]}\n"
      "- parse_csv: {columns: [n], dtype: int64}\n";
  return MustBuild(ReadGraph(parse + ops + "- stack: {columns: [a, b, n]}\n"),
                   CsvSchema({"a", "b", "n"}));
}

// What two graphs make of the same samples, in training and out of it.
void ExpectSameResults(const Graph& ours, const Graph& theirs, const FittedState& fitted,
                       const batch::Batch& samples) {
  for (const int64_t num_rows : {int64_t{1}, int64_t{7}, samples.num_rows()}) {
    for (const bool training : {false, true}) {
      const batch::Batch some = RowsFrom(samples, 0, num_rows);
      const RunContext context{.training = training, .seed = 4, .trigger = 1, .epoch = 2};
      const absl::StatusOr<Transformed> made = ours.Run(some, &fitted, context);
      const absl::StatusOr<Transformed> wanted = theirs.Run(some, &fitted, context);
      ASSERT_THAT(made, IsOk());
      ASSERT_THAT(wanted, IsOk());
      EXPECT_EQ(made->bad, wanted->bad);
      EXPECT_EQ(made->num_filtered, wanted->num_filtered);
      EXPECT_TRUE(batch::Encode(made->batch) == batch::Encode(wanted->batch));
    }
  }
}

// What a comparison has met.
struct Met {
  int num_compared = 0;
  int num_removed = 0;
  int num_moved_filters = 0;
  int num_moved_images = 0;
  int num_bad = 0;
  int num_filtered = 0;
};

void Count(const Graph& graph, Met& met) {
  for (const Rewrite& rewrite : graph.rewrites()) {
    const bool is_filter = graph.op_types()[rewrite.op] == "filter";
    met.num_removed += rewrite.kind == RewriteKind::kRemoved ? 1 : 0;
    if (rewrite.kind != RewriteKind::kMoved) continue;
    (is_filter ? met.num_moved_filters : met.num_moved_images) += 1;
  }
}

TEST(RewritePlan, LeavesWhatRandomGraphsMakeAsItIsToTheLastBit) {
  Met met;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const RandomCase made = RandomCases(seed).Make(150);
    SCOPED_TRACE(fmt::format("seed {}:\n{}", seed, config::Print(made.spec)));
    const Graph ours = MustBuild(made.spec, made.schema);
    const Graph theirs = AsWritten(made.spec, made.schema);
    EXPECT_EQ(ours.Fingerprint(), theirs.Fingerprint());
    EXPECT_EQ(ours.spec_digest(), theirs.spec_digest());
    EXPECT_EQ(ours.op_types(), theirs.op_types());
    EXPECT_EQ(ours.inputs(), theirs.inputs());
    Fitter our_fitter(ours);
    Fitter their_fitter(theirs);
    const auto fitted = testing::Fit(our_fitter, made.samples, 40);
    const auto their_fitted = testing::Fit(their_fitter, made.samples, 40);
    ASSERT_EQ(fitted.status().code(), their_fitted.status().code());
    if (!fitted.ok()) continue;
    EXPECT_EQ(fitted->digest(), their_fitted->digest());
    EXPECT_EQ(our_fitter.num_bad(), their_fitter.num_bad());
    ExpectSameResults(ours, theirs, *fitted, made.samples);
    const auto result = theirs.Run(made.samples, &*fitted);
    met.num_bad += result->bad.empty() ? 0 : 1;
    met.num_filtered += result->num_filtered > 0 ? 1 : 0;
    Count(ours, met);
    ++met.num_compared;
  }
  // The comparison is worth something only if it met all of this.
  EXPECT_GT(met.num_compared, 150);
  EXPECT_GT(met.num_removed, 20);
  EXPECT_GT(met.num_moved_filters, 20);
  EXPECT_GT(met.num_moved_images, 20);
  EXPECT_GT(met.num_bad, 50);
  EXPECT_GT(met.num_filtered, 50);
}

TEST(RewritePlan, CropsBytesBeforeTheyBecomeFloats) {
  const Graph graph = OfImages(
      "- cast: {columns: [image], dtype: float32}\n"
      "- normalize: {column: image, scale: 0.1, mean: [1, 2, 3], std: [4]}\n"
      "- crop: {height: 4, width: 4}\n");
  EXPECT_THAT(graph.order(), ElementsAre(0, 3, 1, 2, 4));
  EXPECT_EQ(graph.op_columns()[1].makes.front().shape, (std::vector<int64_t>{3, 4, 4}));
  EXPECT_EQ(graph.op_columns()[3].reads.front().type, batch::DataType::kUInt8);
  // 192 bytes become 48, then 5 * 48 and 8 * 48; as written 5 * 192, 8 * 192 and 4 * (192 + 48).
  EXPECT_THAT(Reasons(graph),
              ElementsAre("op 4 (crop) runs before op 2 (cast): together they read and make 864 "
                          "bytes of a sample's image instead of 3,456, and the numbers are the "
                          "same"));
  EXPECT_THAT(graph.stages(), ElementsAre(GraphStage{0, 5}));
}

TEST(RewritePlan, MovesAnImageOpOnlyAsFarAsItGains) {
  // Between floats nothing is gained by a flip that runs earlier.
  EXPECT_THAT(OfImages("- clip: {columns: [real], max: 9}\n- flip: {column: real}\n").order(),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(OfImages("- normalize: {column: image}\n- clip: {columns: [image], max: 9}\n- flip\n")
                  .order(),
              ElementsAre(0, 3, 1, 2, 4));
}

TEST(RewritePlan, LetsImageOpsPassWhatWorksOnOtherColumns) {
  const Graph graph = OfImages(
      "- normalize: {column: image}\n"
      "- log1p: {columns: [y]}\n"
      "- random_crop: {height: 4, width: 4}\n");
  EXPECT_THAT(graph.order(), ElementsAre(0, 3, 1, 2, 4));
}

TEST(RewritePlan, KeepsTheOrderOfImageOpsAmongThemselves) {
  const Graph graph = OfImages(
      "- normalize: {column: image}\n- random_flip\n- random_crop: {height: 4, width: 4}\n");
  EXPECT_THAT(graph.order(), ElementsAre(0, 2, 3, 1, 4));
}

struct StayCase {
  std::string ops;
  std::string reason;  // Empty: there is none.
};

TEST(RewritePlan, LeavesImageOpsAfterWhatTheyMustNotPass) {
  const StayCase cases[] = {
      // A pixel that is cut away could be what made the sample bad.
      {"- cast: {columns: [real], dtype: uint8}\n- crop: {column: real, height: 4, width: 4}\n",
       "op 3 (crop) stays after op 2 (cast), which makes bad samples of numbers that do not fit"},
      {"- log1p: {columns: [real]}\n- crop: {column: real, height: 4, width: 4}\n",
       "op 3 (crop) stays after op 2 (log1p), which makes bad samples of negative numbers"},
      {"- normalize: {column: real, scale: 1e30}\n- crop: {column: real, height: 4, width: 4}\n",
       "op 3 (crop) stays after op 2 (normalize), which makes bad samples of numbers that are not "
       "finite then"},
      {"- normalize: {column: image, mean: [3]}\n"
       "- random_crop: {height: 4, width: 4, padding: 1}\n",
       "op 3 (random_crop) stays after op 2 (normalize), which would make other numbers of the "
       "zeros around the images"},
      {"- fill_missing: {columns: [real], with: mean}\n"
       "- crop: {column: real, height: 4, width: 4}\n",
       ""},
      {"- standardize: {columns: [real]}\n- crop: {column: real, height: 4, width: 4}\n", ""},
      {"- fill_missing: {columns: [real], indicator: true}\n"
       "- crop: {column: real, height: 4, width: 4}\n",
       ""},
      {"- resize: {height: 4, width: 4}\n- crop: {height: 2, width: 2}\n", ""},
      // The numbers of each row of the plane.
      {"- normalize: {column: plane, mean: [1, 2, 3, 4, 5, 6, 7, 8]}\n"
       "- flip: {column: plane, direction: vertical}\n",
       ""},
      // Others may need the column that the op does not replace.
      {"- normalize: {column: image}\n- crop: {height: 4, width: 4, into: small}\n", ""},
      {"- normalize: {column: image, into: large}\n- crop: {column: large, height: 4, width: 4}\n",
       ""},
      {"- reshape: {column: image, shape: [192], into: flat}\n- crop: {height: 4, width: 4}\n", ""},
      // The crop would work on samples that are filtered.
      {"- normalize: {column: image}\n- normalize: {column: real, scale: 1e30}\n"
       "- filter: y > 3\n- crop: {height: 4, width: 4}\n",
       "op 4 (filter) stays after op 3 (normalize), which makes bad samples of numbers that are "
       "not finite then"}};
  for (const StayCase& stay : cases) {
    SCOPED_TRACE(stay.ops);
    const Graph graph = OfImages(stay.ops);
    EXPECT_TRUE(std::ranges::is_sorted(graph.order()));
    EXPECT_EQ(std::ssize(graph.order()), std::ssize(graph.op_types()));
    if (stay.reason.empty()) {
      EXPECT_THAT(graph.rewrites(), IsEmpty());
    } else {
      EXPECT_THAT(Reasons(graph), ElementsAre(stay.reason));
    }
  }
}

TEST(RewritePlan, DrawsForAnOpThatMovedWhatItDrawsAsWritten) {
  std::vector<std::string> records;
  for (int i = 0; i < 9; ++i) {
    std::string record(48, '\0');
    for (size_t at = 0; at < record.size(); ++at) record[at] = static_cast<char>(17 * i + at);
    records.push_back(std::move(record));
  }
  batch::Batch samples = MakeSamples(records);
  testing::SetOrdinals(samples);
  const GraphSpec spec = ReadGraph(
      "- parse_record: {fields: [{name: image, shape: [3, 4, 4]}]}\n"
      "- cast: {columns: [image], dtype: float32}\n"
      "- random_crop: {height: 2, width: 2, padding: 1}\n- random_flip\n- stack\n");
  const Graph ours = MustBuild(spec, kRecords);
  EXPECT_THAT(ours.order(), ElementsAre(0, 2, 3, 1, 4));
  const RunContext context{.training = true, .seed = 9};
  const auto made = ours.Run(samples, nullptr, context);
  const auto wanted = AsWritten(spec, kRecords).Run(samples, nullptr, context);
  ASSERT_THAT(made, IsOk());
  ASSERT_THAT(wanted, IsOk());
  EXPECT_EQ(Numbers<float>(made->batch, "input"), Numbers<float>(wanted->batch, "input"));
}

TEST(RewritePlan, FiltersBeforeWhatMakesOtherColumns) {
  const Graph graph = OfNumbers(
      "- clip: {columns: [b], min: 0}\n"
      "- hash_buckets: {column: n, buckets: 9}\n"
      "- fill_missing: {columns: [b], number: 2}\n"
      "- filter: a > 2\n");
  EXPECT_THAT(graph.order(), ElementsAre(0, 1, 2, 6, 3, 4, 5, 7));
  EXPECT_THAT(Reasons(graph),
              ElementsAre("op 7 (filter) stays after op 3 (parse_csv), which may make bad samples",
                          "op 7 (filter) runs before op 4 (clip): what is made of a sample that it "
                          "leaves out is not needed"));
  OpCounters counters(graph.op_types());
  const batch::Batch samples = MakeSamples({"1,2,3", "3,,5", "x,4,5", "9,4,6"});
  const auto made = graph.Run(samples, nullptr, {}, &counters);
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->num_filtered, 1);
  EXPECT_THAT(made->bad, ElementsAre(BadSample{2, "column a: 'x' is not a number"}));
  // Under its place as written.
  EXPECT_EQ(counters.Snapshot()[6].type, "filter");
  EXPECT_EQ(counters.Snapshot()[6].work.rejected, 1);
  EXPECT_EQ(counters.Snapshot()[3].work.rows, 2);
}

TEST(RewritePlan, LeavesFiltersAfterWhatMayMakeBadSamplesOrLearns) {
  const StayCase cases[] = {
      {"- log1p: {columns: [b]}\n- filter: a > 2\n",
       "op 5 (filter) stays after op 4 (log1p), which makes bad samples of negative numbers"},
      {"- cast: {columns: [n], dtype: uint8}\n- filter: a > 2\n",
       "op 5 (filter) stays after op 4 (cast), which makes bad samples of numbers that do not fit"},
      {"- one_hot: {column: n, classes: 3, unknown: bad_sample}\n- filter: a > 2\n",
       "op 5 (filter) stays after op 4 (one_hot), which may make bad samples"},
      {"- standardize: {columns: [b]}\n- filter: a > 2\n",
       "op 5 (filter) stays after op 4 (standardize), which learns from the samples that it "
       "receives"},
      {"- delay: {milliseconds: 0}\n- filter: a > 2\n",
       "op 5 (filter) stays after op 4 (delay), which waits for the samples that it receives"},
      // It reads what that op makes.
      {"- clip: {columns: [a], min: 1}\n- filter: a > 2\n", ""},
      {"- clip: {columns: [a], min: 1}\n- filter: a > 2\n- filter: a > 3\n", ""}};
  for (const StayCase& stay : cases) {
    SCOPED_TRACE(stay.ops);
    const Graph graph = OfNumbers(stay.ops);
    EXPECT_TRUE(std::ranges::is_sorted(graph.order()));
    if (stay.reason.empty()) {
      EXPECT_THAT(graph.rewrites(), IsEmpty());
    } else {
      EXPECT_THAT(Reasons(graph), ElementsAre(stay.reason));
    }
  }
}

TEST(RewritePlan, LeavesOutOpsThatDoNothing) {
  const StayCase images[] = {
      {"- cast: {columns: [image], dtype: uint8}\n", "the numbers are of this type already"},
      // A record holds no number that is not finite.
      {"- cast: {columns: [real], dtype: float32}\n", "the numbers are of this type already"},
      {"- crop: {height: 8, width: 8}\n", "the images have this size already"},
      {"- resize: {height: 8, width: 8}\n", "the images have this size already"},
      {"- reshape: {column: image, shape: [3, 8, 8]}\n", "the rows have this shape already"},
      {"- pad: {column: image, before: [0, 0, 0]}\n", "it adds no numbers"},
      {"- clip: {columns: [image], min: 0, max: 255}\n",
       "all numbers are within the bounds already"},
      {"- normalize: {column: real, mean: [0], std: [1]}\n", "it subtracts 0 and divides by 1"},
      {"- fill_missing: {columns: [real], number: 4}\n",
       "no number is missing in a sample that is good here"}};
  for (const StayCase& idle : images) {
    SCOPED_TRACE(idle.ops);
    const Graph graph = OfImages(idle.ops);
    EXPECT_THAT(graph.order(), ElementsAre(0, 2));
    ASSERT_EQ(graph.rewrites().size(), 1);
    EXPECT_EQ(graph.rewrites().front().kind, RewriteKind::kRemoved);
    EXPECT_THAT(graph.rewrites().front().reason, HasSubstr("is left out: " + idle.reason));
    // It is there for its counters, with nothing to count.
    EXPECT_EQ(graph.op_types().size(), 3);
  }
}

TEST(RewritePlan, KeepsOpsThatDoSomethingToSomeSample) {
  for (const std::string ops :
       {"- cast: {columns: [b], dtype: float32}\n",  // A missing number makes a bad sample.
        "- cast: {columns: [n], dtype: float64}\n", "- clip: {columns: [b], min: -1e30}\n",
        "- clip: {columns: [a], max: 5}\n", "- normalize: {column: b}\n",
        "- normalize: {column: n}\n", "- normalize: {column: a, mean: [-0.0]}\n",
        "- normalize: {column: a, std: [-1]}\n", "- fill_missing: {columns: [b], number: 4}\n",
        "- fill_missing: {columns: [a], with: mean}\n",
        "- fill_missing: {columns: [a], indicator: true}\n"}) {
    EXPECT_THAT(OfNumbers(ops).order(), ElementsAre(0, 1, 2, 3, 4)) << ops;
  }
  for (const std::string ops :
       {"- resize: {height: 8, width: 8, antialias: true}\n", "- crop: {height: 8, width: 7}\n",
        "- pad: {column: image, after: [0, 0, 1]}\n",
        "- reshape: {column: image, shape: [3, 8, 8], into: same}\n", "- flip\n",
        "- random_crop: {height: 8, width: 8}\n", "- clip: {columns: [image], max: 254}\n"}) {
    EXPECT_THAT(OfImages(ops).order(), ElementsAre(0, 1, 2)) << ops;
  }
}

TEST(RewritePlan, CountsNothingForAnOpThatIsLeftOut) {
  const Graph graph = OfNumbers(
      "- clip: {columns: [a], max: 3}\n- clip: {columns: [a], max: 4}\n"
      "- cast: {columns: [n], dtype: int64}\n");
  EXPECT_THAT(graph.order(), ElementsAre(0, 1, 2, 3, 6));
  OpCounters counters(graph.op_types());
  ASSERT_THAT(graph.Run(MakeSamples({"1,2,3", "3,1,5"}), nullptr, {}, &counters), IsOk());
  const std::vector<OpStatistics> statistics = counters.Snapshot();
  EXPECT_EQ(statistics[4], (OpStatistics{"clip", {}}));
  EXPECT_EQ(statistics[5], (OpStatistics{"cast", {}}));
  EXPECT_EQ(statistics[6].type, "stack");
  EXPECT_EQ(statistics[6].work.rows, 2);
}

}  // namespace
}  // namespace tidemill::transform

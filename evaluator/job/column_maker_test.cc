#include "evaluator/job/column_maker.h"

#include <cmath>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "evaluator/testing/predictors.h"
#include "evaluator/testing/samples.h"

namespace tidemill::evaluator {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

std::vector<int64_t> KeysOf(const batch::Batch& rows) {
  return {rows.keys().begin(), rows.keys().end()};
}

std::vector<float> NumbersOf(const batch::Batch& rows, std::string_view name) {
  const auto numbers = rows.Find(name)->Values<float>();
  return {numbers.begin(), numbers.end()};
}

constexpr AskedColumns kAll = {.prediction = true, .embedding = true, .error = true};

// Where the input is below its limit it behaves like the threshold predictor of tests; it refuses
// blocks with an input of 100, and makes infinities of 50.
class ParticularPredictor final : public Predictor {
 public:
  absl::StatusOr<ClassPredictions> PredictClasses(const batch::Batch& rows, bool with) override {
    RETURN_IF_ERROR(Check(rows));
    return of_tests_->PredictClasses(rows, with);
  }

  absl::StatusOr<std::vector<float>> PredictValues(const batch::Batch& rows) override {
    RETURN_IF_ERROR(Check(rows));
    ASSIGN_OR_RETURN(std::vector<float> values, of_tests_->PredictValues(rows));
    for (float& value : values) {
      if (value == 50) value = std::numeric_limits<float>::infinity();
    }
    return values;
  }

  absl::StatusOr<Embeddings> Embed(const batch::Batch& rows) override {
    ASSIGN_OR_RETURN(std::vector<float> values, PredictValues(rows));
    return Embeddings{.numbers = std::move(values), .width = 1};
  }

 private:
  absl::Status Check(const batch::Batch& rows) {
    EXPECT_EQ(rows.num_rows(), ColumnMaker::kNetworkRows);
    for (const float x : rows.Find("input")->Values<float>()) {
      if (x == 100) return InvalidArgument("'input' holds the id 100");
    }
    return absl::OkStatus();
  }

  const std::unique_ptr<Predictor> of_tests_ = *testing::MakeThresholdPredictor({}, "4.5");
};

ScoredModel ModelOn(const transform::SampleSchema& schema, const char* graph_yaml) {
  auto spec = config::Read<transform::GraphSpec>(graph_yaml, "graph");
  auto graph = transform::Graph::Build(*spec, schema);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  ScoredModel model;
  model.graph = std::make_shared<const PreparedGraph>(
      PreparedGraph{.graph = std::move(*graph), .fitted = std::nullopt, .fingerprint = "graph"});
  model.predictor = std::make_unique<ParticularPredictor>();
  return model;
}

transform::SampleSchema RealSchema() {
  transform::SampleSchema schema = testing::Schema();
  schema.label = transform::LabelKind::kReal;
  schema.num_classes = 0;
  return schema;
}

// Samples with the inputs 0 .. 9, and real labels that are twice as great.
batch::Batch RealSamples() {
  batch::Batch samples = testing::Samples(0, 10);
  std::vector<double> labels;
  for (int i = 0; i < 10; ++i) labels.push_back(2.0 * i);
  samples.Set(batch::MakeColumn<double>(batch::kRealLabelColumn, labels)).IgnoreError();
  return samples;
}

TEST(ColumnMaker, PutsWhatWasStandardizedBackIntoTheUnitsOfTheLabel) {
  ScoredModel model = ModelOn(RealSchema(), testing::kGraph);
  PreparedGraph prepared{
      .graph = *transform::Graph::Build(
          *config::Read<transform::GraphSpec>(testing::kGraph, "graph"), RealSchema()),
      .fitted = std::nullopt,
      .fingerprint = "graph",
      .target_scale = {.mean = 1, .deviation = 2}};
  model.graph = std::make_shared<const PreparedGraph>(std::move(prepared));
  auto maker = ColumnMaker::Make(model, kAll);
  ASSERT_THAT(maker, IsOk());
  const auto said = maker->Make(RealSamples());
  ASSERT_THAT(said, IsOk());
  EXPECT_THAT(NumbersOf(*said, "prediction"), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15, 17, 19));
  EXPECT_THAT(NumbersOf(*said, "error"), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(ColumnMaker, TellsRealValuesAndTheirErrors) {
  ScoredModel model = ModelOn(RealSchema(), testing::kGraph);
  auto maker = ColumnMaker::Make(model, kAll);
  ASSERT_THAT(maker, IsOk());
  const auto said = maker->Make(RealSamples());
  ASSERT_THAT(said, IsOk());
  EXPECT_THAT(KeysOf(*said), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(said->Find("prediction")->shape, ElementsAre(1));
  EXPECT_THAT(NumbersOf(*said, "prediction"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(NumbersOf(*said, "error"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(said->Find("embedding")->shape, ElementsAre(1));
}

TEST(ColumnMaker, LeavesOutWhatIsBadAndNothingElse) {
  ScoredModel model = ModelOn(testing::Schema(), testing::kGraph);
  auto maker = ColumnMaker::Make(model, kAll);
  // One does not parse, one the network refuses, of one it makes an infinity.
  const auto said = maker->Make(
      testing::SamplesOf({"1,LOW", "none,LOW", "100,LOW", "50,LOW", "9,LOW"}, {0, 0, 0, 0, 0}));
  ASSERT_THAT(said, IsOk());
  EXPECT_THAT(KeysOf(*said), ElementsAre(1, 5));
  EXPECT_THAT(NumbersOf(*said, "error"), ElementsAre(0, 1));
  EXPECT_THAT(NumbersOf(*said, "prediction"),
              ElementsAre(_, FloatNear(1 / (1 + std::exp(3.5F)), 1e-6F), _,
                          FloatNear(1 / (1 + std::exp(-4.5F)), 1e-6F)));
  EXPECT_EQ(said->columns().size(), 4u);
}

TEST(ColumnMaker, NeedsLabelsForErrorsOnly) {
  ScoredModel model = ModelOn(testing::Schema(), testing::kGraph);
  batch::Batch samples = testing::Samples(0, 3);
  batch::Column labels = *samples.Find(batch::kClassLabelColumn);
  labels.validity = batch::Buffer::Allocate(1);
  labels.validity.mutable_data()[0] = std::byte{0b101};
  ASSERT_THAT(samples.Set(labels), IsOk());
  auto errors = ColumnMaker::Make(model, {.error = true});
  EXPECT_THAT(KeysOf(*errors->Make(samples)), ElementsAre(1, 3));
  EXPECT_EQ(errors->Make(samples)->columns().size(), 2u);
  auto embeddings = ColumnMaker::Make(model, {.embedding = true});
  EXPECT_THAT(KeysOf(*embeddings->Make(samples)), ElementsAre(1, 2, 3));
}

TEST(ColumnMaker, NamesItsColumnsWithoutRowsToo) {
  ScoredModel model = ModelOn(testing::Schema(), testing::kGraph);
  auto maker = ColumnMaker::Make(model, kAll);
  for (const auto& none : {maker->MakeNone(), maker->Make(testing::SamplesOf({"x,LOW"}, {0}))}) {
    ASSERT_THAT(none, IsOk());
    EXPECT_EQ(none->num_rows(), 0);
    EXPECT_EQ(none->columns().size(), 4u);
    EXPECT_THAT(none->Find("prediction")->shape, ElementsAre(2));
  }
}

TEST(ColumnMaker, RefusesAGraphWithoutTarget) {
  ScoredModel model =
      ModelOn(testing::Schema(), "[parse_csv: {columns: [x]}, stack: {columns: all}]");
  EXPECT_THAT(ColumnMaker::Make(model, kAll),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no target")));
}

}  // namespace
}  // namespace tidemill::evaluator

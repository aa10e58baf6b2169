#include "evaluator/windows/window_measurement.h"

#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "evaluator/testing/predictors.h"
#include "evaluator/testing/samples.h"

namespace tidemill::evaluator {
namespace {

using ::testing::HasSubstr;
using testing::ModelOf;
using testing::Prepare;

MeasurementPlan PlanOf(const std::string& rest) {
  auto spec = config::Read<EvaluationSpec>("{dataset: test, " + rest + "}", "evaluation");
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  return {.spec = *spec, .class_names = {"LOW", "HIGH"}, .samples = testing::Schema()};
}

const MeasurementPlan& AccuracyPlan() {
  static const MeasurementPlan plan = PlanOf("measures: [accuracy]");
  return plan;
}

// The samples, and besides so many that cannot be read.
SampleBlock BlockOf(const batch::Batch& samples, int64_t num_missing = 0) {
  SampleBlock block{.samples = samples, .num_known = samples.num_rows() + num_missing};
  for (int64_t i = 0; i < num_missing; ++i) {
    storage::v1::MissingSample& missing = block.missing.emplace_back();
    missing.set_sample_key(5'000 + i);
    missing.set_reason("has vanished from its file");
  }
  return block;
}

TEST(WindowMeasurement, DecodesOnceForAllModelsOfAGraph) {
  // Class 1 where x > 4; the models' thresholds are 4 and 1.
  const auto shared = Prepare(testing::kGraph);
  const auto other = Prepare(testing::kOtherGraph);
  ScoredModel right = ModelOf(1, shared, "4");
  ScoredModel low = ModelOf(2, Prepare(testing::kGraph), "1");
  ScoredModel of_other_graph = ModelOf(3, other, "4");
  std::vector<ScoredModel*> models = {&right, &low, &of_other_graph};
  WindowMeasurement measurement(7, AccuracyPlan(), models);
  measurement.Add(BlockOf(testing::Samples(0, 6)));
  measurement.Add(BlockOf(testing::Samples(6, 10), 2));
  EXPECT_EQ(measurement.num_graph_runs(), 4) << "two blocks, two graphs";
  const auto scores = measurement.Scores();
  ASSERT_EQ(scores.size(), 3u);
  const double expected[] = {1.0, 0.7, 1.0};
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].common().window_index(), 7);
    EXPECT_EQ(scores[i].common().model_id(), static_cast<int64_t>(i) + 1);
    EXPECT_EQ(scores[i].common().trigger(), static_cast<int64_t>(i) + 101);
    EXPECT_EQ(scores[i].common().num_samples(), 10);
    EXPECT_EQ(scores[i].common().num_bad(), 2);
    EXPECT_DOUBLE_EQ(scores[i].scores(0).value(), expected[i]);
  }
}

TEST(WindowMeasurement, MeasuresNothingOnSamplesWithoutALabelAndCountsThem) {
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, AccuracyPlan(), models);
  batch::Batch some = testing::SamplesOf({"1,LOW", "9,HIGH", "2,HIGH"}, {0, 1, 1});
  batch::Column classes = *some.Find(batch::kClassLabelColumn);
  classes.validity = batch::Buffer::Allocate(1);
  classes.validity.mutable_data()[0] = std::byte{0b011};
  ASSERT_THAT(some.Set(classes), tidemill::testing::IsOk());
  measurement.Add(BlockOf(some));
  batch::Batch none = testing::SamplesOf({"1,LOW", "9,HIGH"}, {0, 1}, 100);
  none.Drop(batch::kClassLabelColumn);
  measurement.Add(BlockOf(none));
  const auto scores = measurement.Scores();
  EXPECT_EQ(scores[0].common().failure(), "");
  EXPECT_EQ(scores[0].common().num_samples(), 2);
  EXPECT_EQ(scores[0].common().num_unlabelled(), 3);
  EXPECT_EQ(scores[0].common().num_bad(), 0);
  EXPECT_DOUBLE_EQ(scores[0].scores(0).value(), 1.0);
}

TEST(WindowMeasurement, LeavesBadSamplesOutAndCountsThem) {
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, AccuracyPlan(), models);
  measurement.Add(BlockOf(testing::SamplesOf({"1,LOW", "not a number,LOW", "9,HIGH"}, {0, 0, 1})));
  const auto scores = measurement.Scores();
  EXPECT_EQ(scores[0].common().num_samples(), 2);
  EXPECT_EQ(scores[0].common().num_bad(), 1);
  EXPECT_EQ(scores[0].common().num_known(), 3);
  EXPECT_DOUBLE_EQ(scores[0].scores(0).value(), 1.0);
}

TEST(WindowMeasurement, TellsWhereEachSampleOfTheWindowIs) {
  std::map<int64_t, std::string> told;
  auto bad = std::make_unique<loader::BadSamples>(
      [&](std::span<const int64_t> keys, std::span<const std::string> reasons) {
        for (size_t i = 0; i < keys.size(); ++i) told[keys[i]] = reasons[i];
        return absl::OkStatus();
      });
  MeasurementPlan plan = AccuracyPlan();
  plan.bad = bad.get();
  ScoredModel first = ModelOf(1, Prepare(testing::kGraph), "4");
  ScoredModel second = ModelOf(2, Prepare(testing::kOtherGraph), "1");
  std::vector<ScoredModel*> models = {&first, &second};
  WindowMeasurement measurement(0, plan, models);
  measurement.Add(BlockOf(testing::Samples(0, 4)));
  SampleBlock block = BlockOf(testing::SamplesOf({"1,LOW", "?,LOW"}, {0, 0}, 40), 2);
  block.missing[1].set_deleted(true);
  block.missing[1].set_reason("was deleted");
  measurement.Add(block);
  for (const v1::ModelScores& scores : measurement.Scores()) {
    EXPECT_EQ(scores.common().num_known(), 8);
    EXPECT_EQ(scores.common().num_samples(), 5);
    EXPECT_EQ(scores.common().num_bad(), 2);
    EXPECT_EQ(scores.common().num_deleted(), 1);
    EXPECT_EQ(scores.common().num_unlabelled(), 0);
  }
  bad.reset();  // Tells what it was told.
  ASSERT_EQ(told.size(), 2u) << "each sample once, and no deleted sample";
  EXPECT_EQ(told[5'000], "has vanished from its file");
  EXPECT_THAT(told.begin()->second, HasSubstr("is not a number"));
}

// A training leaves it out as a bad sample, too.
TEST(WindowMeasurement, CountsASampleAsBadWhoseTargetIsNotANumber) {
  transform::SampleSchema schema = testing::Schema();
  schema.label = transform::LabelKind::kReal;
  schema.num_classes = 0;
  const auto spec = config::Read<transform::GraphSpec>(testing::kGraph, "graph");
  ASSERT_THAT(spec, tidemill::testing::IsOk());
  auto graph = transform::Graph::Build(*spec, schema);
  ASSERT_THAT(graph, tidemill::testing::IsOk());
  std::string fingerprint = graph->Fingerprint();
  const auto prepared = std::make_shared<const PreparedGraph>(PreparedGraph{
      .graph = *std::move(graph), .fitted = std::nullopt, .fingerprint = std::move(fingerprint)});
  MeasurementPlan plan = PlanOf("measures: [mae]");
  plan.samples = schema;
  ScoredModel model = ModelOf(1, prepared, "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, plan, models);
  batch::Batch samples = testing::SamplesOf({"1,", "2,", "3,"}, {0, 0, 0});
  samples.Drop(batch::kClassLabelColumn);
  const std::vector<double> labels = {1.5, std::nan(""), 3.5};
  ASSERT_THAT(samples.Set(batch::MakeColumn<double>(batch::kRealLabelColumn, labels)),
              tidemill::testing::IsOk());
  measurement.Add(BlockOf(samples));
  const auto scores = measurement.Scores();
  EXPECT_EQ(scores[0].common().failure(), "");
  EXPECT_EQ(scores[0].common().num_samples(), 2);
  EXPECT_EQ(scores[0].common().num_bad(), 1);
  EXPECT_DOUBLE_EQ(scores[0].scores(0).value(), 0.5);
}

TEST(WindowMeasurement, OfAnEmptyWindowHasNoValueAndNoFailure) {
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, AccuracyPlan(), models);
  const auto scores = measurement.Scores();
  EXPECT_FALSE(scores[0].scores(0).has_value());
  EXPECT_EQ(scores[0].scores(0).measure(), "accuracy");
  EXPECT_EQ(scores[0].common().num_samples(), 0);
  EXPECT_EQ(scores[0].common().failure(), "");
}

TEST(WindowMeasurement, AFailingModelCostsItselfOnly) {
  const auto graph = Prepare(testing::kGraph);
  ScoredModel lost;
  lost.model_id = 1;
  lost.status = DataLoss("the weights have changed\n\x01");
  ScoredModel failing = ModelOf(2, graph, "fail");
  ScoredModel fine = ModelOf(3, graph, "4");
  std::vector<ScoredModel*> models = {&lost, &failing, &fine};
  WindowMeasurement measurement(0, AccuracyPlan(), models);
  measurement.Add(BlockOf(testing::Samples(0, 10)));
  const auto scores = measurement.Scores();
  EXPECT_EQ(scores[0].common().failure(), "the weights have changed??");
  EXPECT_THAT(scores[1].common().failure(), HasSubstr("told to fail"));
  EXPECT_FALSE(scores[0].scores(0).has_value());
  EXPECT_FALSE(scores[1].scores(0).has_value());
  EXPECT_DOUBLE_EQ(scores[2].scores(0).value(), 1.0);
}

TEST(WindowMeasurement, RefusesMeasuresThatDoNotSuitTheTarget) {
  const MeasurementPlan plan = PlanOf("measures: [mae]");
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, plan, models);
  measurement.Add(BlockOf(testing::Samples(0, 3)));
  EXPECT_EQ(measurement.num_graph_runs(), 0);
  EXPECT_THAT(measurement.Scores()[0].common().failure(), HasSubstr("mae compares real values"));
}

TEST(WindowMeasurement, AWindowThatCannotBeReadHasNoValues) {
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, AccuracyPlan(), models);
  measurement.Add(BlockOf(testing::Samples(0, 3)));
  measurement.Fail(NotFound("the dataset is gone"));
  EXPECT_EQ(measurement.Scores()[0].common().failure(), "the dataset is gone");
  EXPECT_FALSE(measurement.Scores()[0].scores(0).has_value());
}

// The score of a measure on a slice.
const v1::Evaluation& ScoreOf(const v1::ModelScores& scores, const std::string& measure,
                              const std::string& slice = "") {
  static const v1::Evaluation none;
  for (const v1::Evaluation& score : scores.scores()) {
    if (score.measure() == measure && score.slice() == slice) return score;
  }
  ADD_FAILURE() << "no " << measure << " on '" << slice << "'";
  return none;
}

// Samples 0 .. 9 are HIGH from 5 on; a model with threshold 1 takes 2, 3 and 4 for HIGH.
v1::ModelScores Measured(const MeasurementPlan& plan, const std::string& weights = "1") {
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), weights);
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, plan, models);
  measurement.Add(BlockOf(testing::Samples(0, 6)));
  measurement.Add(BlockOf(testing::Samples(6, 10)));
  return measurement.Scores()[0];
}

TEST(WindowMeasurement, MeasuresClassesAndColumnsBySlices) {
  const auto scores = Measured(PlanOf(
      "measures: [accuracy, confusion_matrix], slices: [class, {type: column, name: x, bins: [3]}, "
      "{type: column, name: y}]"));
  EXPECT_DOUBLE_EQ(ScoreOf(scores, "accuracy").value(), 0.7);
  EXPECT_EQ(ScoreOf(scores, "confusion_matrix").detail(),
            R"({"classes":["LOW","HIGH"],"counts":[[2,3],[0,5]]})");
  EXPECT_DOUBLE_EQ(ScoreOf(scores, "accuracy", "class=LOW").value(), 0.4);
  EXPECT_DOUBLE_EQ(ScoreOf(scores, "accuracy", "class=HIGH").value(), 1);
  EXPECT_EQ(ScoreOf(scores, "accuracy", "class=HIGH").num_samples(), 5);
  EXPECT_DOUBLE_EQ(ScoreOf(scores, "accuracy", "x=<3").value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(ScoreOf(scores, "accuracy", "x=>=3").value(), 5.0 / 7);
  EXPECT_DOUBLE_EQ(ScoreOf(scores, "accuracy", "y=LOW").value(), 0.4);
  EXPECT_EQ(scores.scores_size(), 8) << "a matrix has no slices";
}

TEST(WindowMeasurement, RanksByProbabilities) {
  const auto scores = Measured(PlanOf("measures: [roc_auc, average_precision, log_loss]"));
  EXPECT_DOUBLE_EQ(ScoreOf(scores, "roc_auc").value(), 1) << "whatever the threshold";
  EXPECT_DOUBLE_EQ(ScoreOf(scores, "average_precision").value(), 1);
  double loss = 0;
  for (int x = 0; x < 10; ++x) loss += std::log1p(std::exp(x > 4 ? 1.0 - x : x - 1.0)) / 10;
  EXPECT_NEAR(ScoreOf(scores, "log_loss").value(), loss, 1e-6);
}

TEST(WindowMeasurement, GivesIntervalsUnlessToldNotTo) {
  const auto scores = Measured(PlanOf("measures: [accuracy], slices: [class]"));
  const v1::Evaluation& whole = ScoreOf(scores, "accuracy");
  EXPECT_LT(whole.low(), 0.7);
  EXPECT_GT(whole.high(), 0.7);
  EXPECT_TRUE(ScoreOf(scores, "accuracy", "class=LOW").has_low());
  const auto without = Measured(PlanOf("measures: [accuracy], bootstrap: {replicates: 0}"));
  EXPECT_FALSE(without.scores(0).has_low());
  EXPECT_DOUBLE_EQ(without.scores(0).value(), 0.7);
}

// The sums are of all samples, the interval of those that are kept, scaled to as narrow as all
// would make it.
TEST(WindowMeasurement, ScalesTheIntervalsOfAWindowThatIsTooLargeToKeep) {
  const auto measure = [](int64_t max_table_bytes) {
    MeasurementPlan plan = PlanOf("measures: [accuracy]");
    plan.max_table_bytes = max_table_bytes;
    const std::vector<std::string> records(10'000, "3,LOW");
    std::vector<int64_t> classes;
    for (int64_t i = 0; i < 10'000; ++i) classes.push_back(i % 4 == 0 ? 1 : 0);
    ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
    std::vector<ScoredModel*> models = {&model};
    WindowMeasurement measurement(0, plan, models);
    measurement.Add(BlockOf(testing::SamplesOf(records, classes)));
    return measurement.Scores()[0].scores(0);
  };
  const v1::Evaluation all = measure(int64_t{256} << 20);
  const v1::Evaluation some = measure(0);
  EXPECT_DOUBLE_EQ(some.value(), 0.75);
  EXPECT_NE(some.low(), all.low());
  EXPECT_EQ(all.num_unkept(), 0);
  EXPECT_GT(some.num_unkept(), 5'000);
  const double width = all.high() - all.low();
  EXPECT_NEAR(width, 2 * 1.96 * std::sqrt(.75 * .25 / 1e4), 0.2 * width);
  EXPECT_NEAR(some.high() - some.low(), width, 0.25 * width);
}

TEST(WindowMeasurement, LeavesBadSamplesOutOfSlices) {
  const MeasurementPlan plan = PlanOf("measures: [accuracy], slices: [{type: column, name: y}]");
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, plan, models);
  measurement.Add(
      BlockOf(testing::SamplesOf({"1,A", "not a number,B", "9,C", "2,A"}, {0, 0, 0, 1})));
  const auto scores = measurement.Scores();
  EXPECT_DOUBLE_EQ(ScoreOf(scores[0], "accuracy", "y=A").value(), 0.5);
  EXPECT_DOUBLE_EQ(ScoreOf(scores[0], "accuracy", "y=C").value(), 0);
  EXPECT_EQ(scores[0].scores_size(), 3);
}

}  // namespace
}  // namespace tidemill::evaluator

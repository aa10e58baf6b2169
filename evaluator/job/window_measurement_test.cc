#include "evaluator/job/window_measurement.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "evaluator/testing/predictors.h"
#include "evaluator/testing/samples.h"

namespace tidemill::evaluator {
namespace {

using ::testing::HasSubstr;

const std::vector<MeasureSpec> kAccuracy = {Accuracy{}};

std::shared_ptr<const PreparedGraph> Prepare(const std::string& graph_yaml) {
  auto spec = config::Read<transform::GraphSpec>(graph_yaml, "graph");
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  auto graph = transform::Graph::Build(*spec, testing::Schema());
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  std::string fingerprint = graph->Fingerprint();
  return std::make_shared<const PreparedGraph>(
      PreparedGraph{std::move(*graph), std::nullopt, std::move(fingerprint)});
}

ScoredModel ModelOf(int64_t id, std::shared_ptr<const PreparedGraph> graph,
                    const std::string& weights) {
  ScoredModel model;
  model.model_id = id;
  model.trigger = id + 100;
  model.graph = std::move(graph);
  model.predictor = *testing::MakeThresholdPredictor({}, weights);
  return model;
}

TEST(WindowMeasurement, DecodesOnceForAllModelsOfAGraph) {
  // Class 1 where x > 4; the models' thresholds are 4 and 1.
  const auto shared = Prepare(testing::kGraph);
  const auto other = Prepare(testing::kOtherGraph);
  ScoredModel right = ModelOf(1, shared, "4");
  ScoredModel low = ModelOf(2, Prepare(testing::kGraph), "1");
  ScoredModel of_other_graph = ModelOf(3, other, "4");
  std::vector<ScoredModel*> models = {&right, &low, &of_other_graph};
  WindowMeasurement measurement(7, kAccuracy, models);
  measurement.Add(testing::Samples(0, 6), 0);
  measurement.Add(testing::Samples(6, 10), 2);
  EXPECT_EQ(measurement.num_graph_runs(), 4) << "two blocks, two graphs";
  const auto scores = measurement.Scores();
  ASSERT_EQ(scores.size(), 3u);
  const double expected[] = {1.0, 0.7, 1.0};
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].window_index(), 7);
    EXPECT_EQ(scores[i].model_id(), static_cast<int64_t>(i) + 1);
    EXPECT_EQ(scores[i].trigger(), static_cast<int64_t>(i) + 101);
    EXPECT_EQ(scores[i].num_samples(), 10);
    EXPECT_EQ(scores[i].num_skipped(), 2);
    EXPECT_DOUBLE_EQ(scores[i].scores(0).value(), expected[i]);
  }
}

TEST(WindowMeasurement, LeavesBadSamplesOutAndCountsThem) {
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, kAccuracy, models);
  measurement.Add(testing::SamplesOf({"1,LOW", "not a number,LOW", "9,HIGH"}, {0, 0, 1}), 0);
  const auto scores = measurement.Scores();
  EXPECT_EQ(scores[0].num_samples(), 2);
  EXPECT_EQ(scores[0].num_skipped(), 1);
  EXPECT_DOUBLE_EQ(scores[0].scores(0).value(), 1.0);
}

TEST(WindowMeasurement, OfAnEmptyWindowHasNoValueAndNoFailure) {
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, kAccuracy, models);
  const auto scores = measurement.Scores();
  EXPECT_FALSE(scores[0].scores(0).has_value());
  EXPECT_EQ(scores[0].scores(0).measure(), "accuracy");
  EXPECT_EQ(scores[0].num_samples(), 0);
  EXPECT_EQ(scores[0].failure(), "");
}

TEST(WindowMeasurement, AFailingModelCostsItselfOnly) {
  const auto graph = Prepare(testing::kGraph);
  ScoredModel lost;
  lost.model_id = 1;
  lost.status = DataLoss("the weights have changed\n\x01");
  ScoredModel failing = ModelOf(2, graph, "fail");
  ScoredModel fine = ModelOf(3, graph, "4");
  std::vector<ScoredModel*> models = {&lost, &failing, &fine};
  WindowMeasurement measurement(0, kAccuracy, models);
  measurement.Add(testing::Samples(0, 10), 0);
  const auto scores = measurement.Scores();
  EXPECT_EQ(scores[0].failure(), "the weights have changed??");
  EXPECT_THAT(scores[1].failure(), HasSubstr("told to fail"));
  EXPECT_FALSE(scores[0].scores(0).has_value());
  EXPECT_FALSE(scores[1].scores(0).has_value());
  EXPECT_DOUBLE_EQ(scores[2].scores(0).value(), 1.0);
}

TEST(WindowMeasurement, RefusesMeasuresThatDoNotSuitTheTarget) {
  const std::vector<MeasureSpec> measures = {MeanAbsoluteError{}};
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, measures, models);
  measurement.Add(testing::Samples(0, 3), 0);
  EXPECT_EQ(measurement.num_graph_runs(), 0);
  EXPECT_THAT(measurement.Scores()[0].failure(), HasSubstr("mae compares real values"));
}

TEST(WindowMeasurement, AWindowThatCannotBeReadHasNoValues) {
  ScoredModel model = ModelOf(1, Prepare(testing::kGraph), "4");
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, kAccuracy, models);
  measurement.Add(testing::Samples(0, 3), 0);
  measurement.Fail(NotFound("the dataset is gone"));
  EXPECT_EQ(measurement.Scores()[0].failure(), "the dataset is gone");
  EXPECT_FALSE(measurement.Scores()[0].scores(0).has_value());
}

}  // namespace
}  // namespace tidemill::evaluator

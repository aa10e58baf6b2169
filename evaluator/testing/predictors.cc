#include "evaluator/testing/predictors.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "gtest/gtest.h"

#include "config/config.h"
#include "evaluator/testing/samples.h"
#include "transform/graph.h"

namespace tidemill::evaluator::testing {
namespace {

class ThresholdPredictor final : public Predictor {
 public:
  explicit ThresholdPredictor(std::optional<float> threshold) : threshold_(threshold) {}

  absl::StatusOr<ClassPredictions> PredictClasses(const batch::Batch& rows,
                                                  bool with_probabilities) override {
    if (!threshold_) return Internal("told to fail");
    ASSIGN_OR_RETURN(const batch::Column* input,
                     rows.Get(transform::kInputColumn, batch::DataType::kFloat32));
    ClassPredictions predictions{.num_classes = 2};
    for (const float x : input->Values<float>()) {
      predictions.classes.push_back(x > *threshold_ ? 1 : 0);
      if (!with_probabilities) continue;
      const float one = 1 / (1 + std::exp(*threshold_ - x));
      predictions.probabilities.insert(predictions.probabilities.end(), {1 - one, one});
    }
    return predictions;
  }

  absl::StatusOr<std::vector<float>> PredictValues(const batch::Batch& rows) override {
    if (!threshold_) return Internal("told to fail");
    ASSIGN_OR_RETURN(const batch::Column* input,
                     rows.Get(transform::kInputColumn, batch::DataType::kFloat32));
    const auto values = input->Values<float>();
    return std::vector<float>(values.begin(), values.end());
  }

  absl::StatusOr<Embeddings> Embed(const batch::Batch& rows) override {
    ASSIGN_OR_RETURN(std::vector<float> values, PredictValues(rows));
    return Embeddings{.numbers = std::move(values), .width = 1};
  }

 private:
  const std::optional<float> threshold_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Predictor>> MakeThresholdPredictor(const models::ModelSpec&,
                                                                  std::string_view weights,
                                                                  models::ClassOutputs) {
  std::optional<float> threshold;
  if (weights != "fail") {
    float value = 0;
    if (!absl::SimpleAtof(std::string(weights), &value)) return DataLoss("these are not weights");
    threshold = value;
  }
  return std::make_unique<ThresholdPredictor>(threshold);
}

std::shared_ptr<const PreparedGraph> Prepare(const std::string& graph_yaml) {
  auto spec = config::Read<transform::GraphSpec>(graph_yaml, "graph");
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  auto graph = transform::Graph::Build(*spec, Schema());
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  std::string fingerprint = graph->Fingerprint();
  return std::make_shared<const PreparedGraph>(PreparedGraph{
      .graph = std::move(*graph), .fitted = std::nullopt, .fingerprint = std::move(fingerprint)});
}

ScoredModel ModelOf(int64_t id, std::shared_ptr<const PreparedGraph> graph,
                    const std::string& weights) {
  ScoredModel model;
  model.model_id = id;
  model.trigger = id + 100;
  model.graph = std::move(graph);
  model.predictor = *MakeThresholdPredictor({}, weights);
  return model;
}

}  // namespace tidemill::evaluator::testing

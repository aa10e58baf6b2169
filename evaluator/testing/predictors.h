// Models for tests that need no torch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "evaluator/windows/scored_model.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"

namespace tidemill::evaluator::testing {

// A PredictorFactory. The weights are a number in text. The network predicts class 1 when the input
// is greater, and as a value the input itself. The probability of class 1 is the sigmoid of the
// difference. It fails on every block when the weights are "fail". DATA_LOSS for any other weights.
absl::StatusOr<std::unique_ptr<Predictor>> MakeThresholdPredictor(
    const models::ModelSpec& spec, std::string_view weights,
    models::ClassOutputs class_outputs = models::ClassOutputs::kSoftmax);

// Returns a graph bound to samples of samples.h.
std::shared_ptr<const PreparedGraph> Prepare(const std::string& graph_yaml);

// Returns a model with a network of MakeThresholdPredictor(). Its trigger is its id and 100.
ScoredModel ModelOf(int64_t id, std::shared_ptr<const PreparedGraph> graph,
                    const std::string& weights);

}  // namespace tidemill::evaluator::testing

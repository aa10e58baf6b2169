// A model that is ready to be measured.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "transform/fitted_state.h"
#include "transform/graph.h"
#include "transform/target_scale.h"

namespace tidemill::evaluator {

struct ClassPredictions {
  // The most probable class of each row; of equal ones the first.
  std::vector<int64_t> classes = {};
  // Row by row, for each class; empty unless asked for.
  std::vector<float> probabilities = {};
  int64_t num_classes = 0;
};

struct Embeddings {
  // Row by row.
  std::vector<float> numbers = {};
  // Numbers in a row.
  int64_t width = 0;
};

// The network of a model. Thread-compatible.
class Predictor {
 public:
  virtual ~Predictor() = default;

  // `rows` has the columns `input` and `input_...` of the model's graph; others are passed over.
  // Probabilities are what the loss took the outputs for: see models/spec/class_outputs.h.
  virtual absl::StatusOr<ClassPredictions> PredictClasses(const batch::Batch& rows,
                                                          bool with_probabilities) = 0;
  // As the network says them, before a standardised target is put back into its units.
  // FAILED_PRECONDITION for a network with more than one output.
  virtual absl::StatusOr<std::vector<float>> PredictValues(const batch::Batch& rows) = 0;

  // What the network's last layer is given. FAILED_PRECONDITION for a network that does not say.
  virtual absl::StatusOr<Embeddings> Embed(const batch::Batch& rows) = 0;
};

// A graph bound to the evaluated dataset, with what it learned: shared by all models that have the
// same. Immutable, hence thread-safe.
struct PreparedGraph {
  transform::Graph graph;
  std::optional<transform::FittedState> fitted;
  // Of graph and fitted state; equal for equal results.
  std::string fingerprint;
  // From what the network says to the units of the target.
  transform::TargetScale target_scale = {};
};

struct ScoredModel {
  int64_t model_id = 0;
  // The trigger that made it; 0 when unknown.
  int64_t trigger = 0;
  // Why it cannot be used; then the rest is absent.
  absl::Status status;
  std::shared_ptr<const PreparedGraph> graph;
  std::unique_ptr<Predictor> predictor;

  // Predictor::PredictValues() in the units of the target.
  absl::StatusOr<std::vector<float>> PredictValues(const batch::Batch& rows) const {
    ASSIGN_OR_RETURN(std::vector<float> values, predictor->PredictValues(rows));
    graph->target_scale.PutBack(values);
    return values;
  }
};

}  // namespace tidemill::evaluator

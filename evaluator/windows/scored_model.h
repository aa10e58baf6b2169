// A model that is ready to be measured.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/reading/prepared_graph.h"

namespace tidemill::evaluator {

struct ClassPredictions {
  // The most probable class of each row. Among equally probable ones, the first.
  std::vector<int64_t> classes = {};
  // The probabilities of all classes, row after row. Filled in on request only.
  std::vector<float> probabilities = {};
  int64_t num_classes = 0;
};

struct Embeddings {
  // The numbers, row after row.
  std::vector<float> numbers = {};
  // The number of numbers in a row.
  int64_t width = 0;
};

// The network of a model. Thread-compatible.
class Predictor {
 public:
  virtual ~Predictor() = default;

  // `rows` has the columns `input` and `input_...` of the model's graph; other columns are ignored.
  // Probabilities are computed as the loss computes them from the outputs; see
  // models/spec/class_outputs.h.
  virtual absl::StatusOr<ClassPredictions> PredictClasses(const batch::Batch& rows,
                                                          bool with_probabilities) = 0;
  // Returns the outputs of the network, before a standardised target is converted back to its
  // units. FAILED_PRECONDITION when the network has more than one output.
  virtual absl::StatusOr<std::vector<float>> PredictValues(const batch::Batch& rows) = 0;

  // Returns the inputs of the network's last layer. FAILED_PRECONDITION when the network does not
  // provide them.
  virtual absl::StatusOr<Embeddings> Embed(const batch::Batch& rows) = 0;
};

struct ScoredModel {
  int64_t model_id = 0;
  // The trigger whose training made the model; 0 when unknown.
  int64_t trigger = 0;
  // Why the model cannot be used. The other members are absent then.
  absl::Status status;
  std::shared_ptr<const PreparedGraph> graph;
  std::unique_ptr<Predictor> predictor;

  // Returns Predictor::PredictValues() in the units of the target.
  absl::StatusOr<std::vector<float>> PredictValues(const batch::Batch& rows) const {
    ASSIGN_OR_RETURN(std::vector<float> values, predictor->PredictValues(rows));
    graph->target_scale.PutBack(values);
    return values;
  }
};

}  // namespace tidemill::evaluator

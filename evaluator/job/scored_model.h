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

namespace tidemill::evaluator {

// The network of a model. Thread-compatible.
class Predictor {
 public:
  virtual ~Predictor() = default;

  // `input` is the column `input` of the model's graph, of `num_rows` rows.
  virtual absl::StatusOr<std::vector<int64_t>> PredictClasses(const batch::Column& input,
                                                              int64_t num_rows) = 0;
  // FAILED_PRECONDITION for a network with more than one output.
  virtual absl::StatusOr<std::vector<float>> PredictValues(const batch::Column& input,
                                                           int64_t num_rows) = 0;
};

// A graph bound to the evaluated dataset, with what it learned: shared by all models that have the
// same. Immutable, hence thread-safe.
struct PreparedGraph {
  transform::Graph graph;
  std::optional<transform::FittedState> fitted;
  // Of graph and fitted state; equal for equal results.
  std::string fingerprint;
};

struct ScoredModel {
  int64_t model_id = 0;
  // The trigger that made it; 0 when unknown.
  int64_t trigger = 0;
  // Why it cannot be used; then the rest is absent.
  absl::Status status;
  std::shared_ptr<const PreparedGraph> graph;
  std::unique_ptr<Predictor> predictor;
};

}  // namespace tidemill::evaluator

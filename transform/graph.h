// A preprocessing graph, checked and bound to a dataset: from blocks of samples to tensors.
//
//   ASSIGN_OR_RETURN(const Graph graph, Graph::Build(spec, schema));
//   Fitter fitter(graph);                                         // When graph.needs_fit().
//   ...
//   ASSIGN_OR_RETURN(Transformed result, graph.Run(samples, &fitted));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"
#include "transform/fitted_state.h"
#include "transform/graph_spec.h"
#include "transform/sample_schema.h"

namespace tidemill::transform {

inline constexpr std::string_view kInputColumn = "input";
// What the names of further columns for the model begin with: `input_categories` ...
inline constexpr std::string_view kInputPrefix = "input_";
inline constexpr std::string_view kTargetColumn = "target";

// Whether a column of this name is handed to the model.
bool IsInput(std::string_view name);

// What a graph makes of a block of samples.
struct Transformed {
  // The good samples in the order they came in: `key`, `event_time`, `ordinal` and `weight` where
  // the samples have them, then `input`, the columns `input_...` and, where the graph makes it,
  // `target`.
  batch::Batch batch;
  // The samples left out, by row of the block that came in.
  std::vector<BadSample> bad;
};

// Immutable, hence thread-safe: Run() may be called from many threads at once. What it makes of a
// sample depends on that sample alone, not on the block that it came in. Movable.
class Graph {
 public:
  // All that is wrong with `spec` for such samples; empty when it can be built.
  static std::vector<GraphProblem> Check(const GraphSpec& spec, const SampleSchema& samples);

  // INVALID_ARGUMENT lists what Check() finds, each with the place of its op, from 1.
  static absl::StatusOr<Graph> Build(const GraphSpec& spec, const SampleSchema& samples);

  // `samples`: a block with `payload` and, when the graph makes a target, the label column. Bad
  // samples are left out and never an error. `fitted` may be nullptr for a graph that needs no fit.
  // FAILED_PRECONDITION without a fitted state that is needed, or while column names are not
  // known; INVALID_ARGUMENT for a fitted state of other ops or samples without the columns.
  //
  // `context`: without one, nothing is random, as it must be where models are evaluated. In
  // training the samples have `ordinal`, from which random ops draw.
  absl::StatusOr<Transformed> Run(const batch::Batch& samples, const FittedState* fitted,
                                  const RunContext& context = {}) const;

  // Whether some op learns from samples.
  bool needs_fit() const { return num_fit_passes_ > 0; }

  // SHA-256, in hexadecimal, of everything that Run() depends on but the samples: the ops, the
  // schema of the samples, and `fitted_digest`, the fitted state's digest or "".
  std::string Fingerprint(std::string_view fitted_digest = "") const;

  // SHA-256, in hexadecimal, of the ops alone. A fitted state belongs to it, so that a model can be
  // evaluated on another dataset that has the same columns.
  const std::string& spec_digest() const { return spec_digest_; }

  // The column `input`, float32 or int64; its shape is known before any sample is read.
  const ColumnSchema& input() const { return inputs_.front().schema; }
  // All that the model is handed: `input`, then the columns `input_...` in the order made.
  std::vector<ColumnSchema> inputs() const;
  // int64 for classes, float32 for real numbers; absent when no op makes it.
  std::optional<ColumnSchema> target() const;
  const SampleSchema& samples() const { return *samples_; }

 private:
  friend class Fitter;

  struct BoundOp {
    std::unique_ptr<const Op> op;
    std::string name;  // "op 2 (standardize)", for messages.
    // Passes over the samples that the fit of earlier ops takes before this op can be fitted or, if
    // it learns nothing, run.
    int stage = 0;
    bool fitted = false;
  };
  struct Built;

  Graph() = default;
  static Built Bind(const GraphSpec& spec, const SampleSchema& samples);
  absl::Status RunOp(const BoundOp& op, std::span<const Learned> learned, Frame& frame) const;

  std::unique_ptr<const SampleSchema> samples_;
  std::string description_;  // Hashed by Fingerprint().
  std::string spec_digest_;
  std::vector<BoundOp> ops_;
  int num_slots_ = 0;
  int num_fit_passes_ = 0;
  std::vector<BoundColumn> inputs_ = std::vector<BoundColumn>(1);  // `input` first.
  std::optional<BoundColumn> target_;
};

}  // namespace tidemill::transform

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
#include "transform/engine/op_counters.h"
#include "transform/engine/sample_schema.h"
#include "transform/engine/stage.h"
#include "transform/fitted_state.h"
#include "transform/graph_spec.h"

namespace tidemill::transform {

inline constexpr std::string_view kInputColumn = "input";
// What the names of further columns for the model begin with: `input_categories` ...
inline constexpr std::string_view kInputPrefix = "input_";

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

// Ops that run together, op by op on blocks of rows that fit in the cache: [first, first + count).
struct GraphStage {
  int first = 0;
  int count = 1;

  friend bool operator==(const GraphStage&, const GraphStage&) = default;
};

// Whether ops may share a stage. What a graph makes is the same; only tests turn it off.
enum class Fusion { kOn, kOff };

// Immutable, hence thread-safe: Run() may be called from many threads at once. What it makes of a
// sample depends on that sample alone, not on the block that it came in. Movable.
class Graph {
 public:
  // All that is wrong with `spec` for such samples; empty when it can be built.
  static std::vector<GraphProblem> Check(const GraphSpec& spec, const SampleSchema& samples);

  // INVALID_ARGUMENT lists what Check() finds, each with the place of its op, from 1.
  static absl::StatusOr<Graph> Build(const GraphSpec& spec, const SampleSchema& samples,
                                     Fusion fusion = Fusion::kOn);

  // `samples`: a block with `payload` and, when the graph makes a target, the label column. Bad
  // samples are left out and never an error. `fitted` may be nullptr for a graph that needs no fit.
  // FAILED_PRECONDITION without a fitted state that is needed, or while column names are not
  // known; INVALID_ARGUMENT for a fitted state of other ops or samples without the columns.
  //
  // `context`: without one, nothing is random, as it must be where models are evaluated. In
  // training the samples have `ordinal`, from which random ops draw.
  //
  // `counters`: made for op_types(); what the ops did is added to them. Without, nothing is
  // measured.
  absl::StatusOr<Transformed> Run(const batch::Batch& samples, const FittedState* fitted,
                                  const RunContext& context = {},
                                  OpCounters* counters = nullptr) const;

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
  // Whether the target is the label in its own units, but for an op `standardize`.
  bool target_is_label() const { return target_is_label_; }
  const SampleSchema& samples() const { return *samples_; }

  // What each op is, in order: "parse_csv", "standardize" ...
  std::vector<std::string> op_types() const;
  // The graph cut into stages, in order. An op alone runs on whole columns.
  std::vector<GraphStage> stages() const;
  // Bytes of a row of what the model is handed: of inputs() and target().
  int64_t OutputRowBytes() const;

 private:
  friend class Fitter;

  struct BoundOp {
    std::unique_ptr<const Op> op;
    std::string type;  // "standardize"
    std::string name;  // "op 2 (standardize)", for messages.
    // Passes over the samples that the fit of earlier ops takes before this op can be fitted or, if
    // it learns nothing, run.
    int stage = 0;
    bool fitted = false;
    std::vector<int> input_slots = {};
    std::vector<BoundColumn> outputs = {};
  };
  struct BoundStage {
    GraphStage ops;
    std::optional<Stage> fused = std::nullopt;  // Absent for an op alone.
  };
  struct Built;

  Graph() = default;
  static Built Bind(const GraphSpec& spec, const SampleSchema& samples);
  void CutIntoStages(Fusion fusion);
  bool IsUsedAfter(size_t op, int slot) const;
  absl::Status CheckFitted(const FittedState* fitted) const;
  absl::Status RunOp(const BoundOp& op, std::span<const Learned> learned, Frame& frame) const;
  absl::Status RunStage(const BoundStage& stage, const FittedState* fitted, Frame& frame,
                        std::span<OpWork> work) const;
  absl::Status RunMeasured(const BoundStage& stage, const FittedState* fitted, Frame& frame,
                           OpCounters& counters) const;
  int64_t BytesMade(const BoundOp& op, const Frame& frame) const;

  std::unique_ptr<const SampleSchema> samples_;
  std::string description_;  // Hashed by Fingerprint().
  std::string spec_digest_;
  std::vector<BoundOp> ops_;
  std::vector<BoundStage> stages_;
  int num_slots_ = 0;
  int num_fit_passes_ = 0;
  std::vector<BoundColumn> inputs_ = std::vector<BoundColumn>(1);  // `input` first.
  std::optional<BoundColumn> target_;
  bool target_is_label_ = true;
};

}  // namespace tidemill::transform

// A preprocessing graph that is checked and bound to a dataset. It turns blocks of samples into
// tensors.
//
//   ASSIGN_OR_RETURN(const Graph graph, Graph::Build(spec, schema));
//   Fitter fitter(graph);                                         // When graph.needs_fit().
//   ...
//   ASSIGN_OR_RETURN(Transformed result, graph.Run(samples, &fitted));
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"
#include "transform/engine/op_counters.h"
#include "transform/engine/portable_graph.h"
#include "transform/engine/sample_schema.h"
#include "transform/engine/stage.h"
#include "transform/fitted_state.h"
#include "transform/graph_spec.h"
#include "transform/rewrite/rewrite_plan.h"

namespace tidemill::transform {

class CutGraph;
class CutPointFinder;
class RemainingRows;

inline constexpr std::string_view kInputColumn = "input";
// The prefix of the names of further columns for the model: `input_categories` ...
inline constexpr std::string_view kInputPrefix = "input_";

// Whether a column of this name goes to the model.
bool IsInput(std::string_view name);

// The result of a graph for a block of samples.
struct Transformed {
  // The good samples in the order of the input. The columns are `key`, `event_time`, `ordinal` and
  // `weight` where the samples have them, then `input`, the columns `input_...` and, if the graph
  // makes it, `target`.
  batch::Batch batch;
  // The bad samples, by their row in the input.
  std::vector<BadSample> bad;
  // The number of samples that ops `filter` leave out. They are neither good nor bad.
  int64_t num_filtered = 0;
};

// Samples as a user of a portable graph gives them, and what the ops make of them.
struct GivenSamples {
  batch::Batch given;  // The columns of PortableGraph::given().
  batch::Batch made;   // The inputs of the model.
};

// The ops [first, first + count) of Graph::order(). They run together, op by op, on blocks of rows
// that fit into the cache.
struct GraphStage {
  int first = 0;
  int count = 1;

  friend bool operator==(const GraphStage&, const GraphStage&) = default;
};

// Whether ops may share a stage, and whether they may run in another order than they are written
// (transform/rewrite/). The results are the same either way. Tests turn them off, and what compares
// their costs.
enum class Fusion { kOn, kOff };
enum class Rewriting { kOn, kOff };

// The columns of an op where it runs.
struct OpColumns {
  std::vector<ColumnSchema> reads;
  std::vector<ColumnSchema> makes;
};

// Immutable, so thread-safe: many threads may call Run() at once. The result for a sample depends
// only on that sample, not on its block. Movable.
class Graph {
 public:
  // Returns all problems of `spec` for such samples. The list is empty when the graph can be built,
  // or could be if the columns of the dataset were known.
  static std::vector<GraphProblem> Check(const GraphSpec& spec, const SampleSchema& samples);

  // Returns what the rules of `spec` choose for such samples. Check() must find nothing.
  static std::vector<ChosenColumns> Choose(const GraphSpec& spec, const SampleSchema& samples);

  // INVALID_ARGUMENT lists what Check() finds. Each problem has the place of its op, from 1.
  // UNAVAILABLE when the process of a plug-in cannot be started now. FAILED_PRECONDITION when rules
  // choose columns while the columns of the dataset are unknown.
  static absl::StatusOr<Graph> Build(const GraphSpec& spec, const SampleSchema& samples,
                                     Fusion fusion = Fusion::kOn,
                                     Rewriting rewriting = Rewriting::kOn);

  // `samples` is a block with `payload` and, when the graph makes a target, the label column. Bad
  // and filtered samples are left out; they are never an error. `fitted` may be nullptr for a graph
  // that needs no fit. FAILED_PRECONDITION when a fitted state is needed and missing, or while
  // column names are unknown. INVALID_ARGUMENT when the fitted state belongs to other ops, or when
  // the samples lack these columns.
  //
  // Without a `context`, nothing is random. This is how models are evaluated. In training the
  // samples have the column `ordinal`, from which random ops draw.
  //
  // `counters` must be made for op_types(). The work of the ops is added to them. Without counters,
  // nothing is measured.
  absl::StatusOr<Transformed> Run(const batch::Batch& samples, const FittedState* fitted,
                                  const RunContext& context = {},
                                  OpCounters* counters = nullptr) const;

  // Returns the columns that ops read out of records: what the user knows as columns of the data.
  // Only those that the graph uses, and not the target.
  std::vector<ColumnSchema> record_columns() const;

  // As Run(), but each sample has the value of another in one of record_columns(): sample i has
  // that of sample `rows[i]`. All samples must be good ones of Run(). Meant for few samples at a
  // time: RESOURCE_EXHAUSTED when they have too many texts together. NOT_FOUND for another column.
  absl::StatusOr<Transformed> RunShuffled(const batch::Batch& samples, const FittedState* fitted,
                                          std::string_view column,
                                          std::span<const int64_t> rows) const;

  // Writes the graph for programs that run without Tidemill. The columns that an op makes that
  // cannot be written are given by the user. Returns the errors of Run() for `fitted`.
  absl::StatusOr<PortableGraph> WriteSteps(const FittedState* fitted) const;

  // Returns the good ones of these samples, which need no label. `portable` must be of this graph.
  // Returns the errors of Run().
  absl::StatusOr<GivenSamples> Give(const batch::Batch& samples, const FittedState* fitted,
                                    const PortableGraph& portable) const;

  // Whether some op learns from samples.
  bool needs_fit() const { return num_fit_passes_ > 0; }

  // Returns the SHA-256, in hexadecimal, of everything that Run() depends on besides the samples:
  // the ops, the schema of the samples, and `fitted_digest`. `fitted_digest` is the digest of the
  // fitted state, or "".
  std::string Fingerprint(std::string_view fitted_digest = "") const;

  // The SHA-256, in hexadecimal, of the ops alone. A fitted state belongs to this digest, so that a
  // model can be evaluated on another dataset with the same columns.
  const std::string& spec_digest() const { return spec_digest_; }

  // The column `input`, float32 or int64. Its shape is known before any sample is read.
  const ColumnSchema& input() const { return inputs_.front().schema; }
  // Returns all columns that go to the model: `input`, then the columns `input_...` in the order
  // made.
  std::vector<ColumnSchema> inputs() const;
  // The target is int64 for classes and float32 for real numbers. It is absent when no op makes it.
  std::optional<ColumnSchema> target() const;
  // Whether the target is the label in its own units, apart from an op `standardize`.
  bool target_is_label() const { return target_is_label_; }
  const SampleSchema& samples() const { return *samples_; }

  // Returns the type of each op, in the order in which they are written: "parse_csv",
  // "standardize" ... The places of ops in counters and fitted states are places in this order.
  std::vector<std::string> op_types() const;
  // The places as written of the ops in the order in which they run. Ops that do nothing are not in
  // it.
  const std::vector<int>& order() const { return plan_.order; }
  // The ops that were left out or run elsewhere, and those that had to stay, each with the reason.
  const std::vector<Rewrite>& rewrites() const { return plan_.rewrites; }
  // Returns the columns of each op by its place as written. A removed op has those that it would
  // have where it is written.
  std::vector<OpColumns> op_columns() const;
  // Returns the stages of the graph, in the order in which they run. An op that is alone in its
  // stage runs on whole columns.
  std::vector<GraphStage> stages() const;

 private:
  friend class CutGraph;
  friend class CutPointFinder;
  friend class Fitter;
  friend class OpTraffic;

  struct BoundOp {
    std::unique_ptr<const Op> op;
    std::string type;  // "standardize"
    std::string name;  // "op 2 (standardize)", for messages.
    // The number of passes that earlier ops need for their fit before this op can be fitted or, if
    // it learns nothing, run.
    int stage = 0;
    bool fitted = false;
    bool is_random = false;
    std::string digest = {};  // The SHA-256 of the op as the user wrote it.
    std::vector<BoundColumn> inputs = {};
    std::vector<BoundColumn> outputs = {};
    // The same op for the pixels that the one at this place needs; absent when that is all.
    std::unique_ptr<const Op> for_part = nullptr;
    size_t part_reader = 0;

    // The op where those that run at the places below `end` run after it.
    const Op& RunningBefore(size_t end) const {
      return for_part != nullptr && part_reader < end ? *for_part : *op;
    }
  };
  struct BoundStage {
    GraphStage ops;
    std::optional<Stage> fused = std::nullopt;  // Absent for an op alone.
    size_t end = 0;  // The ops that run before results are kept are at the places below it.
  };
  struct Built;

  // Whether it makes this column out of records alone.
  static bool ReadsOutOfRecords(const BoundOp& op, const BoundColumn& output);
  Graph() = default;
  static Built Bind(const GraphSpec& spec, const SampleSchema& samples);
  void Rewire(const GraphSpec& spec);
  void LeaveOutPixels();
  bool IsOnlyReader(size_t place, size_t maker, int slot) const;
  // For each op in the order in which they run, whether all its inputs are finite (Block).
  std::vector<bool> InputsAreFinite() const;
  // Returns the stages of the ops that run at the places [first, last).
  std::vector<BoundStage> StagesOf(size_t first, size_t last, Fusion fusion) const;
  // `place` is one of order().
  bool IsUsedAfter(size_t place, int slot) const;
  absl::Status CheckFitted(const FittedState* fitted) const;
  absl::Status RunOp(const BoundOp& op, std::span<const Learned> learned, Frame& frame) const;
  absl::Status RunStage(const BoundStage& stage, const FittedState* fitted, Frame& frame,
                        std::span<OpWork> work) const;
  absl::Status RunMeasured(const BoundStage& stage, const FittedState* fitted, Frame& frame,
                           std::vector<OpWork>& done) const;
  // Returns std::nullopt when the rows have too many texts together.
  absl::StatusOr<std::optional<Transformed>> RunRows(const batch::Batch& samples,
                                                     const FittedState* fitted,
                                                     const RunContext& context,
                                                     OpCounters* counters) const;
  // Returns false when the rows have too many texts together.
  absl::StatusOr<bool> RunStages(std::span<const BoundStage> stages, const FittedState* fitted,
                                 RemainingRows& rows, OpCounters* counters) const;
  absl::StatusOr<Transformed> Finish(RemainingRows& rows) const;
  int64_t BytesMade(const BoundOp& op, const Frame& frame) const;

  std::unique_ptr<const SampleSchema> samples_;
  std::string description_;  // Hashed by Fingerprint().
  std::string spec_digest_;
  std::string samples_digest_;  // The SHA-256 of what is known about the samples.
  std::vector<BoundOp> ops_;    // As written. Each is bound to its columns where it runs.
  RewritePlan plan_;
  std::vector<BoundStage> stages_;
  int num_slots_ = 0;
  int num_fit_passes_ = 0;
  std::vector<BoundColumn> inputs_ = std::vector<BoundColumn>(1);  // `input` first.
  std::optional<BoundColumn> target_;
  bool target_is_label_ = true;
};

}  // namespace tidemill::transform

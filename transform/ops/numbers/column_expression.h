// An expression over the columns of a graph.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "expressions/evaluation.h"
#include "expressions/expression.h"
#include "transform/engine/frame.h"
#include "transform/engine/op_builder.h"
#include "transform/ops/numbers/expression_steps.h"

namespace tidemill::transform {

// The event time of a sample.
inline constexpr std::string_view kTimeName = "@time";

// Thread-safe.
class ColumnExpression {
 public:
  ~ColumnExpression();

  // Reports mistakes at `field`; then the result is nullptr. The columns are those that earlier ops
  // made, and @time. All of them must have the same shape.
  static std::unique_ptr<ColumnExpression> Build(OpBuilder& builder, std::string_view field,
                                                 const std::string& text,
                                                 std::optional<expressions::Type> wanted);

  expressions::Type type() const { return program_->type; }
  // The shape of a row's results.
  const std::vector<int64_t>& shape() const { return shape_; }

  // The expression as steps; see WriteExpression(). FAILED_PRECONDITION for one that cannot be
  // written, or that reads columns that cannot.
  absl::StatusOr<ExpressionSteps> WriteSteps(PortableGraph& graph) const;

  // Takes the results [begin, begin + n) of all, in order. A row has `width` results, one after
  // another.
  using Sink = std::function<void(int64_t begin, const expressions::Evaluation& results)>;
  // A row is rejected, for `name`, where the texts that the expression makes are too long
  // (expressions::kMaxTextBytes); its result is null. It ends early when the frame has too many
  // texts. FAILED_PRECONDITION when it reads @time and the samples have no event times.
  absl::Status Run(std::string_view name, Frame& frame, const Sink& sink) const;

 private:
  // The source of an input of the program.
  struct Source {
    std::optional<int> slot = std::nullopt;  // Without it: the event time.
    std::optional<BoundColumn> column = std::nullopt;
    batch::DataType type = batch::DataType::kInt64;
  };
  // The memory of a run besides its frame. Runs use it one after another.
  struct Scratch;

  ColumnExpression() = default;
  std::unique_ptr<Scratch> TakeScratch() const ABSL_LOCKS_EXCLUDED(mutex_);
  static void SetInput(const batch::Column& column, int64_t begin, int64_t size, size_t input,
                       Scratch& scratch);

  std::shared_ptr<const expressions::Program> program_;
  std::vector<Source> sources_;
  std::vector<int64_t> shape_;
  mutable Mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::transform

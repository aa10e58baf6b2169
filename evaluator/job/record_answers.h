// Answers records that storage does not have.
#pragma once

#include <optional>

#include "base/status.h"
#include "evaluator/job/column_maker.h"
#include "tidemill/evaluator/v1/prediction.pb.h"
#include "transform/fitted_state.h"
#include "transform/graph.h"
#include "transform/graph_spec.h"

namespace tidemill::evaluator {

// Thread-compatible.
class RecordAnswers {
 public:
  // `graph` is the graph of the model, which must be usable and outlive this object. Returns the
  // errors of ColumnMaker::Make().
  static absl::StatusOr<RecordAnswers> Make(const transform::GraphSpec& graph,
                                            const transform::SampleSchema& schema,
                                            ScoredModel& model, int num_threads);

  // Answers each record, or says why not. A record with values that are none of the categories that
  // the model knows is answered with a remark.
  absl::StatusOr<v1::Predictions> Answer(const v1::PredictionRecords& records);

  // Returns the number of numbers in an answer.
  absl::StatusOr<int64_t> Width();

 private:
  explicit RecordAnswers(ColumnMaker maker) : maker_(std::move(maker)) {}

  ColumnMaker maker_;
  // Rejects what the model's graph makes zeros of. Absent when it makes nothing of that kind.
  std::optional<transform::Graph> strict_;
  std::optional<transform::FittedState> fitted_;
};

}  // namespace tidemill::evaluator

// Computes the answers of a model about blocks of samples.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/job/scored_model.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"

namespace tidemill::evaluator {

inline constexpr std::string_view kPredictionColumn = "prediction";
inline constexpr std::string_view kEmbeddingColumn = "embedding";
inline constexpr std::string_view kErrorColumn = "error";

// Which columns are requested.
struct AskedColumns {
  bool prediction = false;
  bool embedding = false;
  bool error = false;
};

// Makes the column `key` and the requested columns; see ModelColumn.
//
// The network always gets kNetworkRows rows. The last row is repeated when there are fewer. The
// compute kernels then see one shape only, and the answer about a sample does not depend on how
// many others came with it. Thread-compatible.
class ColumnMaker {
 public:
  static constexpr int64_t kNetworkRows = 64;

  // `model` must be usable and outlive this object. FAILED_PRECONDITION when its graph makes no
  // target, because the target tells whether the model predicts classes.
  static absl::StatusOr<ColumnMaker> Make(ScoredModel& model, const AskedColumns& asked);

  // Makes the columns for some samples, as storage returns them. A sample without an answer is left
  // out. A sample needs a label only when errors are requested. FAILED_PRECONDITION when the
  // network does not fit the graph, or cannot answer the request.
  absl::StatusOr<batch::Batch> Make(const batch::Batch& samples);

  // Returns the columns without rows.
  absl::StatusOr<batch::Batch> MakeNone();

 private:
  ColumnMaker(ScoredModel& model, const AskedColumns& asked, bool is_class)
      : model_(&model), asked_(asked), is_class_(is_class) {}

  // Makes the columns for at most kNetworkRows rows that the graph made.
  absl::StatusOr<batch::Batch> Say(const batch::Batch& rows);
  // Makes the columns row by row.
  absl::StatusOr<batch::Batch> SayOfEach(const batch::Batch& rows);
  absl::Status AddPredictions(const batch::Batch& padded, batch::Batch& said);
  absl::Status AddClasses(const batch::Batch& padded, batch::Batch& said);
  absl::Status AddValues(const batch::Batch& padded, batch::Batch& said);
  absl::Status AddEmbeddings(const batch::Batch& padded, batch::Batch& said);

  ScoredModel* model_;
  AskedColumns asked_;
  bool is_class_;
};

}  // namespace tidemill::evaluator

// What a model says of blocks of samples.
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

// Which of the columns are asked for.
struct AskedColumns {
  bool prediction = false;
  bool embedding = false;
  bool error = false;
};

// Makes `key` and the columns that are asked for; see ModelColumn.
//
// The network is always given kNetworkRows rows, the last of them again and again where there are
// fewer: the kernels that compute see one shape, and what is said of a sample does not depend on
// how many others it came with. Thread-compatible.
class ColumnMaker {
 public:
  static constexpr int64_t kNetworkRows = 64;

  // `model` is one that can be used, and outlives the maker. FAILED_PRECONDITION when its graph
  // makes no target, which tells whether it predicts classes.
  static absl::StatusOr<ColumnMaker> Make(ScoredModel& model, const AskedColumns& asked);

  // Of some samples, as storage gives them; those of which nothing can be said are left out. A
  // sample needs a label only when errors are asked for. FAILED_PRECONDITION for a network that
  // does not fit the graph, or does not have what is asked for.
  absl::StatusOr<batch::Batch> Make(const batch::Batch& samples);

  // The columns without rows.
  absl::StatusOr<batch::Batch> MakeNone();

 private:
  ColumnMaker(ScoredModel& model, const AskedColumns& asked, bool is_class)
      : model_(&model), asked_(asked), is_class_(is_class) {}

  // Of at most kNetworkRows rows that the graph made.
  absl::StatusOr<batch::Batch> Say(const batch::Batch& rows);
  // Row by row.
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

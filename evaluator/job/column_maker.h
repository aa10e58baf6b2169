// Computes the answers of a model about blocks of samples.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "batch/batch.h"
#include "evaluator/windows/scored_model.h"
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

// A sample without a prediction.
struct Unanswered {
  int64_t key = 0;
  std::string reason;
  // The graph filters it: nothing is wrong with it.
  bool filtered = false;
};

// Makes the column `key` and the requested columns; see ModelColumn.
//
// The network always gets kNetworkRows rows. The last row is repeated when there are fewer. The
// compute kernels then see one shape only, and the answer about a sample does not depend on how
// many others came with it. Thread-compatible.
class ColumnMaker {
 public:
  static constexpr int64_t kNetworkRows = 64;

  // `model` must be usable and outlive this object. Its networks run on `num_threads` threads, so
  // that a network should use one thread only: its arithmetic, to the last bit, must not depend on
  // how many there are. FAILED_PRECONDITION when its graph makes no
  // target, because the type of the target shows whether the model predicts classes.
  static absl::StatusOr<ColumnMaker> Make(ScoredModel& model, const AskedColumns& asked,
                                          int num_threads = 1);

  // Makes the columns for some samples, as storage returns them. A sample without an answer is left
  // out. A sample needs a label only when errors are requested. FAILED_PRECONDITION when the
  // network does not fit the graph, or cannot answer the request. `unanswered`, if given, receives
  // the samples that are left out, in no order.
  absl::StatusOr<batch::Batch> Make(const batch::Batch& samples,
                                    std::vector<Unanswered>* unanswered = nullptr);

  // Makes them for rows that the model's graph made, of samples with labels as above.
  absl::StatusOr<batch::Batch> MakeOfRows(const batch::Batch& rows,
                                          std::vector<Unanswered>* unanswered = nullptr);

  // Makes them by `graph`, which rejects more than the model's own graph, and gives the same for
  // all other samples.
  absl::StatusOr<batch::Batch> MakeBy(const transform::Graph& graph,
                                      const transform::FittedState* fitted,
                                      const batch::Batch& samples,
                                      std::vector<Unanswered>* unanswered);

  // Returns the columns without rows.
  absl::StatusOr<batch::Batch> MakeNone();

 private:
  ColumnMaker(ScoredModel& model, const AskedColumns& asked, bool is_class, int num_threads);

  // Makes the columns for at most kNetworkRows rows that the graph made.
  absl::StatusOr<batch::Batch> MakeBlock(const batch::Batch& rows,
                                         std::vector<Unanswered>* unanswered);
  // The same, at once. INVALID_ARGUMENT when a row does not fit the network.
  absl::StatusOr<batch::Batch> MakeAtOnce(const batch::Batch& rows,
                                          std::vector<Unanswered>* unanswered);
  // Makes the columns row by row.
  absl::StatusOr<batch::Batch> MakeByRow(const batch::Batch& rows,
                                         std::vector<Unanswered>* unanswered);
  absl::Status AddPredictions(const batch::Batch& padded, batch::Batch& said);
  absl::Status AddClasses(const batch::Batch& padded, batch::Batch& said);
  absl::Status AddValues(const batch::Batch& padded, batch::Batch& said);
  absl::Status AddEmbeddings(const batch::Batch& padded, batch::Batch& said);

  ScoredModel* model_;
  AskedColumns asked_;
  bool is_class_;
  std::unique_ptr<WorkerPool> pool_;  // Null for one thread.
};

}  // namespace tidemill::evaluator

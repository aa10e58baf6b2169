// The table evaluator.outcomes: what models said about samples, kept after their windows.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "pqxx/pqxx"

#include "base/id.h"
#include "evaluator/evaluations_table.h"
#include "evaluator/outcomes/joined_series.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"

namespace tidemill::evaluator {

// The outcomes of one model or rule on one window.
struct OutcomesRow {
  int32_t evaluation = 0;
  // (time, key) of the beginning and of the end; the least and the greatest numbers at open ends.
  std::tuple<int64_t, int64_t, int64_t, int64_t> window;
  int64_t model_id = 0;
  int64_t trigger = 0;
  std::string baseline = {};
  bool in_use = false;
  SeriesWindow kept = {};
};

// Differs once rows have been added or removed.
struct OutcomesVersion {
  int64_t num_rows = 0;
  int64_t num_bytes = 0;
  int64_t num_jobs = 0;
  friend auto operator<=>(const OutcomesVersion&, const OutcomesVersion&) = default;
};

struct EvaluationRequest {
  int32_t evaluation = 0;
  v1::StartEvaluationRequest request;
};

// The methods work in an open transaction. They throw pqxx exceptions, which db::Database::Transact
// catches.
class OutcomesTable {
 public:
  explicit OutcomesTable(pqxx::work& work) : work_(work) {}

  void Insert(const JobKey& job, int64_t window_index, const v1::ModelScores& scores);
  // Does nothing when there are none.
  void InsertImportances(const JobKey& job, int64_t window_index,
                         const v1::ColumnImportances& importances);
  // Returns the importances of columns, with the evaluations of which they are, in order.
  std::vector<v1::ColumnImportances> Importances(RunId run);
  OutcomesVersion VersionOf(RunId run);
  // Returns the rows of the run, ordered by evaluation and window. DATA_LOSS when columns are not
  // well-formed.
  absl::StatusOr<std::vector<OutcomesRow>> List(RunId run);
  // Returns the requests of the run's evaluations, without windows and models, in order.
  std::vector<EvaluationRequest> Requests(RunId run);

 private:
  pqxx::work& work_;
};

}  // namespace tidemill::evaluator

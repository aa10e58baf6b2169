// Results computed from the kept outcomes of runs: how much better the models in use are than the
// first model, than rules without a model, and than those of another run, and whether chance
// explains it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "db/database.h"
#include "evaluator/client/evaluation_spec.h"
#include "evaluator/outcomes_table.h"
#include "tidemill/evaluator/v1/outcomes.pb.h"

namespace tidemill::evaluator {

// The kept outcomes of one evaluation of a pipeline, of all rounds: each window once, the newest.
struct KeptEvaluation {
  int32_t evaluation = 0;
  v1::StartEvaluationRequest request;
  EvaluationSpec spec;
  // Ordered by window.
  std::vector<OutcomesRow> rows = {};
  // The names of the classes of the dataset; empty when they have none.
  std::vector<std::string> classes = {};
  // Those that the newest round has measured.
  std::optional<v1::ColumnImportances> importances = std::nullopt;

  // The models in use, the first model, and the rule with this name. Empty when nothing is kept.
  OutcomeSeries InUse() const;
  OutcomeSeries First() const;
  OutcomeSeries Rule(std::string_view name) const;
};

// Computes on request. Answers about single runs are kept while their outcomes stay the same.
// Thread-safe.
class OutcomeSummaries {
 public:
  // `database` must outlive this object.
  explicit OutcomeSummaries(db::Database& database) : database_(database) {}

  // INVALID_ARGUMENT when the run has no such number of evaluations.
  absl::StatusOr<v1::SummariseOutcomesResponse> Summarise(
      const v1::SummariseOutcomesRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<v1::CompareRunsResponse> Compare(const v1::CompareRunsRequest& request);

 private:
  struct Known {
    OutcomesVersion version = {};
    int32_t num_evaluations = 0;
    v1::SummariseOutcomesResponse response = {};
  };

  absl::StatusOr<std::vector<KeptEvaluation>> Read(RunId run, int32_t num_evaluations);

  db::Database& database_;
  Mutex mutex_;
  std::map<int64_t, Known> known_ ABSL_GUARDED_BY(mutex_);  // By run.
};

}  // namespace tidemill::evaluator

// Explains why a run trained or did not train.
#pragma once

#include "base/status.h"
#include "db/database.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Answers questions about the decisions of a run. Thread-safe.
class DecisionAnswers {
 public:
  // `database` must outlive this object.
  explicit DecisionAnswers(db::Database& database) : database_(database) {}

  // Returns the decision that the request names, its neighbours, and its consequences. NOT_FOUND
  // when the run is unknown or the decision was not made. For a run whose stream ended without a
  // decision, the answer says how it ended.
  absl::StatusOr<v1::GetDecisionResponse> Get(const v1::GetDecisionRequest& request) const;

 private:
  db::Database& database_;
};

}  // namespace tidemill::supervisor

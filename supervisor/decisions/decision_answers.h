// Explains why a run trained, or did not.
#pragma once

#include "base/status.h"
#include "db/database.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Answers what somebody asks of a run's decisions. Thread-safe.
class DecisionAnswers {
 public:
  // `database` must outlive this object.
  explicit DecisionAnswers(db::Database& database) : database_(database) {}

  // The decision that the request names, with those around it and what came of it. NOT_FOUND for an
  // unknown run and for a decision that was not made; a run whose stream ended without one is
  // answered by how it ended.
  absl::StatusOr<v1::GetDecisionResponse> Get(const v1::GetDecisionRequest& request) const;

 private:
  db::Database& database_;
};

}  // namespace tidemill::supervisor

// Lists of runs with their scores.
#pragma once

#include <functional>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "supervisor/requests/run_list_table.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Answers ListRuns. A score is computed once and kept until the run has another event. Thread-safe.
class RunLists {
 public:
  // Returns the run with the values of its models. Must be thread-safe.
  using Measured = std::function<absl::StatusOr<v1::GetRunResponse>(RunId)>;

  // The most scores that are computed for one list. One takes some milliseconds.
  static constexpr int64_t kMaxComputed = 200;

  // `database` must outlive this object.
  RunLists(db::Database& database, Measured measured)
      : database_(database), measured_(std::move(measured)) {}

  // The errors are as in supervisor.proto. A score that cannot be computed fails no list: the
  // response counts such runs, and says why for the first of them.
  absl::StatusOr<v1::ListRunsResponse> List(const v1::ListRunsRequest& request) const;

 private:
  // Computes the scores that decide the order.
  absl::Status ScoreMatching(const v1::ListRunsRequest& request,
                             v1::ListRunsResponse& response) const;
  // Computes the scores that the page lacks.
  absl::Status ScorePage(RunPage& page, v1::ListRunsResponse& response) const;
  // Computes and keeps the score.
  absl::StatusOr<std::optional<v1::RunScore>> Score(RunId run) const;

  db::Database& database_;
  const Measured measured_;
};

}  // namespace tidemill::supervisor

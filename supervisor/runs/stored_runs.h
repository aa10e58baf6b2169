// The runs in the database.
#pragma once

#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "supervisor/runs/folded_run.h"
#include "supervisor/runs/runs_table.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Reads runs, each call in its own transaction. Changes nothing. Errors of the database are as in
// db::Database. Thread-safe.
class StoredRuns {
 public:
  // `database` must outlive this object.
  explicit StoredRuns(db::Database& database) : database_(database) {}

  // NOT_FOUND when the run is unknown.
  absl::StatusOr<RunRow> Find(RunId run) const;
  // Behaves as FoldRun().
  absl::StatusOr<FoldedRun> Fold(RunId run) const;
  // Returns the newest run first. An empty `pipeline` means all pipelines of the namespace. An
  // empty namespace means the default one. INVALID_ARGUMENT when a name is not valid.
  absl::StatusOr<std::vector<v1::Run>> List(const std::string& name_space,
                                            const std::string& pipeline) const;

 private:
  db::Database& database_;
};

}  // namespace tidemill::supervisor

// The runs that the database holds.
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

// Reads runs, each call in a transaction of its own, and changes nothing. Errors of the database
// are those of db::Database. Thread-safe.
class StoredRuns {
 public:
  // `database` must outlive this object.
  explicit StoredRuns(db::Database& database) : database_(database) {}

  // NOT_FOUND for an unknown run.
  absl::StatusOr<RunRow> Find(RunId run) const;
  // As FoldRun().
  absl::StatusOr<FoldedRun> Fold(RunId run) const;
  // The newest first. An empty `pipeline` stands for all of the namespace, and an empty namespace
  // for the default one. INVALID_ARGUMENT for what is no name.
  absl::StatusOr<std::vector<v1::Run>> List(const std::string& name_space,
                                            const std::string& pipeline) const;

 private:
  db::Database& database_;
};

}  // namespace tidemill::supervisor

// The pipelines in the database, by the names that callers use.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "db/database.h"
#include "supervisor/runs/runs_table.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// An empty namespace means the default one. INVALID_ARGUMENT when a name is not valid.
absl::StatusOr<PipelineName> CheckedPipelineName(const std::string& name_space,
                                                 const std::string& name);

// Reads pipelines, each call in its own transaction. Changes nothing. Names are checked as above.
// Errors of the database are as in db::Database. Thread-safe.
class StoredPipelines {
 public:
  // `database` must outlive this object.
  explicit StoredPipelines(db::Database& database) : database_(database) {}

  // NOT_FOUND when there is no pipeline of that name.
  absl::StatusOr<v1::Pipeline> Get(const std::string& name_space, const std::string& name) const;
  // Returns the pipelines ordered by name.
  absl::StatusOr<std::vector<v1::Pipeline>> List(const std::string& name_space) const;

 private:
  db::Database& database_;
};

}  // namespace tidemill::supervisor

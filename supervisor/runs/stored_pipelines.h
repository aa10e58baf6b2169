// The pipelines that the database holds, by the names that callers give.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "db/database.h"
#include "supervisor/runs/runs_table.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// An empty namespace stands for the default one. INVALID_ARGUMENT for what is no name.
absl::StatusOr<PipelineName> CheckedPipelineName(const std::string& name_space,
                                                 const std::string& name);

// Reads pipelines, each call in a transaction of its own, and changes nothing. Names are checked as
// above; errors of the database are those of db::Database. Thread-safe.
class StoredPipelines {
 public:
  // `database` must outlive this object.
  explicit StoredPipelines(db::Database& database) : database_(database) {}

  // NOT_FOUND where there is none of that name.
  absl::StatusOr<v1::Pipeline> Get(const std::string& name_space, const std::string& name) const;
  // By their names.
  absl::StatusOr<std::vector<v1::Pipeline>> List(const std::string& name_space) const;

 private:
  db::Database& database_;
};

}  // namespace tidemill::supervisor

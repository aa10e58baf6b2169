// Keeps the tags and notes that users give to runs.
#pragma once

#include "base/status.h"
#include "db/database.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Changes tags and notes, whatever the state of the run. Its conductor does not see them.
// Thread-safe.
class Annotations {
 public:
  // `database` must outlive this object.
  explicit Annotations(db::Database& database) : database_(database) {}

  // Returns the run as it then is. NOT_FOUND when it is unknown. Returns the errors of
  // CheckAnnotations() and of Annotate().
  absl::StatusOr<v1::Run> Change(const v1::AnnotateRunRequest& request);

 private:
  db::Database& database_;
};

}  // namespace tidemill::supervisor

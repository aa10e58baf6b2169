// Refuses commands of supervisors that no longer conduct the run.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::trainer_server {

// Keeps the highest run epoch seen for each run, in a file `fence` of the run's folder.
// Thread-safe.
class RunFences {
 public:
  // `runs` is the folder that holds a folder for each run.
  explicit RunFences(std::string runs) : runs_(std::move(runs)) {}

  // FAILED_PRECONDITION when the epoch is lower than one seen before, also before a restart.
  absl::Status Check(const rpc::v1::Command& command) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const std::string runs_;
  Mutex mutex_;
  std::map<int64_t, int64_t> epochs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::trainer_server

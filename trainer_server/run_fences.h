// Keeps supervisors that have lost a run from commanding it.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::trainer_server {

// The highest run epoch seen of each run, in a file `fence` of the run's folder. Thread-safe.
class RunFences {
 public:
  // `runs`: the folder that holds a folder for each run.
  explicit RunFences(std::string runs) : runs_(std::move(runs)) {}

  // FAILED_PRECONDITION for an epoch lower than one seen before, also before a restart.
  absl::Status Check(const rpc::v1::Command& command) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const std::string runs_;
  Mutex mutex_;
  std::map<int64_t, int64_t> epochs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::trainer_server

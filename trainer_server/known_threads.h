// Remembers with how many threads trainings prepared their samples best.
#pragma once

#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/status.h"
#include "tidemill/trainer_server/v1/job.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::trainer_server {

// Returns a digest of what the best number of threads depends on: the dataset's spec, the graph,
// the network and the training, and the processors of the machine.
std::string KindOf(const v1::StartTrainingRequest& request, int num_cores);

// Keeps the numbers of the latest 256 kinds of trainings in a file `known_threads.json`, a
// KnownThreads. Nothing is lost without the file but some seconds of the next training.
// Thread-safe.
class KnownThreads {
 public:
  // `folder` is `<state>/trainer_server`.
  explicit KnownThreads(std::string folder) : folder_(std::move(folder)) {}

  // Returns the number for a kind of trainings; 0 when it is unknown.
  int Find(std::string_view kind) ABSL_LOCKS_EXCLUDED(mutex_);

  // Remembers the number of a kind. Writes the file, atomically, when that is news.
  absl::Status Remember(std::string_view kind, int threads) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void ReadOnce() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string folder_;
  Mutex mutex_;
  bool is_read_ ABSL_GUARDED_BY(mutex_) = false;
  v1::KnownThreads known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::trainer_server

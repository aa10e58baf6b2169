// Sends the checkpoints of trainings to the model store while they run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/periodic_task.h"
#include "trainer_server/kept_folders.h"

namespace tidemill::trainer_server {

// One thread of low priority looks at the folders of the trainings that run, one after another, and
// sends what is new of each. A training never waits for it: of several checkpoints that a training
// writes meanwhile, only the newest is sent. All of them together are sent at a bounded rate. A
// file that cannot be sent is tried again. Thread-safe.
class CheckpointKeeper {
 public:
  using Key = std::pair<int64_t, int64_t>;  // Run, trigger.

  // `folders` must outlive this object.
  CheckpointKeeper(KeptFolders& folders, int64_t bytes_per_second);
  // Ends the thread. Sends nothing more.
  ~CheckpointKeeper();

  // Begins to send the checkpoints of a training. `claim` returns its claim as it is now, and
  // `lost` is called when that has ended and no other has come for a minute: the training belongs
  // to another server. Both are called on the keeper's thread, and must not call this object.
  void Begin(const Key& key, std::string folder, std::function<Claim()> claim,
             std::function<void()> lost) ABSL_LOCKS_EXCLUDED(mutex_);

  // Sends nothing more of a training. A piece that is under way is not waited for: what follows it
  // is not sent. With `send_last`, first sends what is new, without a limit of the rate: the
  // training continues elsewhere with it.
  void End(const Key& key, bool send_last = false) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void SendLast(const Key& key) ABSL_LOCKS_EXCLUDED(mutex_);

  struct Kept {
    std::string folder;
    std::function<Claim()> claim;
    std::function<void()> lost;
    // What was kept last.
    model_store::v1::KeepJobRequest last = {};
    // The claim that has ended, and when that was found.
    std::optional<Claim> refused = std::nullopt;
    std::chrono::steady_clock::time_point refused_at = {};
  };

  // Sends what is new of each training.
  absl::Status SendAll() ABSL_LOCKS_EXCLUDED(mutex_);
  // Finds the next training after `key`. Returns false when none is left.
  bool FindNext(Key& key, Kept& kept) ABSL_LOCKS_EXCLUDED(mutex_);
  void Note(const Key& key, const Claim& claim,
            const absl::StatusOr<model_store::v1::KeepJobRequest>& sent)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until a piece may be sent. CANCELLED when the training has ended.
  absl::Status AwaitTurn(const Key& key, size_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  KeptFolders& folders_;
  const int64_t bytes_per_second_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<Key, Kept> kept_ ABSL_GUARDED_BY(mutex_);
  // When the next piece may be sent.
  std::chrono::steady_clock::time_point next_piece_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<PeriodicTask> sending_;  // Its thread uses all members above.
};

}  // namespace tidemill::trainer_server

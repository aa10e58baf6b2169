// The trainings of this server: their states, and what runs them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "tidemill/trainer_server/v1/job.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"
#include "trainer_server/job_processes.h"
#include "trainer_server/run_fences.h"
#include "trainer_server/trainer_config.h"

namespace tidemill::model_store {
class ModelStoreClient;
}
namespace tidemill::selector {
class SelectorClient;
}

namespace tidemill::trainer_server {

struct TrainingsOptions {
  // `<state>/trainer_server`.
  std::string folder;
  // The endpoints at which jobs reach storage, selector, model_store and, if there is one,
  // preprocess.
  rpc::v1::Endpoints endpoints;
  TrainerConfig config;
};

// Everything that must outlive the process is in the trigger folders (job_folder.h). Memory holds
// only what is running. When StartTraining comes again, a training that a dead server left behind
// continues from its last checkpoint. A job that is killed is run again, a few times. Thread-safe.
class Trainings {
 public:
  // Called first with the present state. Returns false to end the watch.
  using Watcher = std::function<bool(const v1::WatchTrainingResponse&)>;

  // The processes and clients must outlive this object.
  Trainings(TrainingsOptions options, JobProcesses& processes, selector::SelectorClient& selector,
            model_store::ModelStoreClient& model_store);
  // Kills the running jobs. Their checkpoints stay.
  ~Trainings();

  // These implement the RPCs of trainer_server.proto.
  absl::StatusOr<std::string> Fit(const v1::FitGraphRequest& request);
  absl::StatusOr<v1::GetTrainingDigestResponse> Digest(const v1::GetTrainingDigestRequest& request)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Start(const v1::StartTrainingRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends with UNAVAILABLE when this object shuts down or `alive` returns false.
  absl::Status Watch(RunId run, int64_t trigger, const Watcher& watcher,
                     const std::function<bool()>& alive) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Stop(const v1::StopTrainingRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<v1::StoreModelResponse> Store(const v1::StoreModelRequest& request);
  // Removes the files of trainings that have ended. The supervisor never retires a training that
  // runs.
  absl::Status Retire(const v1::RetireTrainingsRequest& request);
  absl::Status DeleteRun(const v1::DeleteRunRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);

  // Kills the running jobs and ends all watches.
  void Shutdown() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Key = std::pair<int64_t, int64_t>;  // Run, trigger.

  // One training or fit that this process knows. mutex_ guards it, except `stop`, which has a lock
  // of its own.
  struct Entry {
    Entry() { status.set_state(v1::TRAINING_STATE_QUEUED); }

    v1::WatchTrainingResponse status;
    absl::Status ended;   // That of the last job, once it has ended.
    int64_t version = 1;  // Counts the changes of the fields above.
    bool active = true;   // Queued or running.
    std::stop_source stop;
  };
  using Entries = std::map<Key, std::shared_ptr<Entry>>;  // The tasks that run them share them.

  // Forgets what has ended of the triggers before one.
  void ForgetEnded(int64_t run, int64_t first_kept) ABSL_LOCKS_EXCLUDED(mutex_);
  std::string FolderOf(int64_t run) const;
  std::string FolderOf(int64_t run, int64_t trigger) const;
  // Takes the fitted state of a model instead of fitting.
  absl::Status TakeFitted(ModelId model, const std::string& path);
  absl::StatusOr<v1::TrainingMachine> Machine() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status CheckTraining(const v1::StartTrainingRequest& request) const;
  absl::Status WriteJob(const v1::StartTrainingRequest& request) const;
  void Train(Entry& entry, const std::string& folder, bool on_gpu) ABSL_LOCKS_EXCLUDED(mutex_);
  // Runs a job, and again when it was killed.
  absl::Status RunJob(const std::string& what, const std::string& folder, bool on_gpu, Entry& entry)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Update(Entry& entry, const std::function<void(Entry&)>& change) ABSL_LOCKS_EXCLUDED(mutex_);
  // Reads from the folder the state of a training that this process did not run.
  absl::StatusOr<v1::WatchTrainingResponse> Recall(int64_t run, int64_t trigger) const;
  // Returns false when the entry was stopped while it waited for a slot.
  bool BeginRunning(Entry& entry) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status AwaitEnd(Entry& entry) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends an entry that waits for a slot at once. Otherwise kills its job and waits.
  void End(Entry& entry) ABSL_LOCKS_EXCLUDED(mutex_);

  const TrainingsOptions options_;
  const v1::Preparation preparation_;
  JobProcesses& processes_;
  selector::SelectorClient& selector_;
  model_store::ModelStoreClient& model_store_;
  RunFences fences_;
  Mutex mutex_;
  CondVar changed_;
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<v1::TrainingMachine> machine_ ABSL_GUARDED_BY(mutex_);
  Entries trainings_ ABSL_GUARDED_BY(mutex_);
  Entries fits_ ABSL_GUARDED_BY(mutex_);
  // The last members: their tasks use all members above.
  WorkerPool fit_slots_;
  WorkerPool cpu_slots_;
  WorkerPool gpu_slots_;
};

}  // namespace tidemill::trainer_server

// The trainings of this server: their states, and the processes that run them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "devices/devices.h"
#include "devices/slots.h"
#include "rpc/jobs/job_tokens.h"
#include "rpc/jobs/watched_jobs.h"
#include "tidemill/trainer_server/v1/job.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"
#include "trainer_server/checkpoint_keeper.h"
#include "trainer_server/fitted_states.h"
#include "trainer_server/kept_folders.h"
#include "trainer_server/known_threads.h"
#include "trainer_server/processes/job_runner.h"
#include "trainer_server/processes/training_processes.h"
#include "trainer_server/run_fences.h"
#include "trainer_server/trainer_config.h"
#include "trainer_server/training_metrics.h"

// The states of a training, and what moves it from one to the next:
//
//   Start()                 slot is free            the job ended
//   -------> QUEUED -----------------> RUNNING -------------------> DONE
//              |                          |
//              | stop                     +-- a lasting error -----> FAILED
//              `---------> STOPPED <------'-- a stop, or a service that cannot be reached
//
// While it is RUNNING: FetchTraining (checkpoints of the model store, if they are newer), the job's
// process, whose checkpoints CheckpointKeeper sends meanwhile, then KeepResult. DONE and FAILED are
// in the folder's result file. A training without one is unfinished: Start() continues it.

namespace tidemill::model_store {
class ModelStoreClient;
}
namespace tidemill::models {
struct TrainingSpec;
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
  // It must outlive the trainings.
  rpc::JobTokens* tokens = nullptr;
  // The GPUs of this machine. They must outlive the trainings.
  const devices::Devices* devices = nullptr;
  TrainerConfig config;
  // Where the processes of trainings keep prepared samples.
  v1::PreparedStore prepared = {};
};

// All state that must outlive the process is in the trigger folders (job_folder.h), and what must
// outlive the machine is kept in the model store, too (kept_folders.h). Memory holds only running
// trainings. When StartTraining is called again, at this server or another one, a training of a
// dead server continues from its last checkpoint. A job that is killed is run again, a few times.
// Thread-safe.
class Trainings {
 public:
  // Called first with the current state. Returns false to end the watch.
  using Watcher = std::function<bool(const v1::WatchTrainingResponse&)>;

  // The processes and clients must outlive this object.
  Trainings(TrainingsOptions options, TrainingProcesses& processes,
            selector::SelectorClient& selector, model_store::ModelStoreClient& model_store);
  // Ends the running jobs, as TrainingProcesses::SetGrace() says. Their checkpoints stay, and are
  // sent to the model store if there was a grace.
  ~Trainings();

  // These implement the RPCs of trainer_server.proto.
  absl::StatusOr<v1::FitGraphResponse> Fit(const v1::FitGraphRequest& request);
  absl::StatusOr<v1::GetTrainingDigestResponse> Digest(const v1::GetTrainingDigestRequest& request)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Start(const v1::StartTrainingRequest& request);
  const devices::Slots& slots() const { return slots_; }
  // Ends with UNAVAILABLE when this object shuts down or `alive` returns false.
  absl::Status Watch(RunId run, int64_t trigger, const Watcher& watcher,
                     const std::function<bool()>& alive);
  absl::Status Stop(const v1::StopTrainingRequest& request);
  absl::StatusOr<v1::StoreModelResponse> Store(const v1::StoreModelRequest& request);
  // Removes the files of trainings that have ended. The supervisor never retires a training that
  // runs.
  absl::Status Retire(const v1::RetireTrainingsRequest& request);
  absl::Status DeleteRun(const v1::DeleteRunRequest& request);
  // Returns the runs that have files here.
  absl::StatusOr<std::vector<int64_t>> KeptRuns() const;
  // Ends the jobs of a run and removes its files.
  absl::Status RemoveRun(int64_t run) ABSL_LOCKS_EXCLUDED(mutex_);

  // A job that is queued or runs.
  struct ActiveJob {
    bool is_fit = false;
    int64_t run = 0;
    int64_t trigger = 0;
  };
  // Returns the fits, and the trainings that the supervisor has given a place here.
  std::vector<ActiveJob> Active() ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the process of a job, whatever epoch has started it. Its checkpoints stay.
  void End(const ActiveJob& job);

  // Kills the running jobs and ends all watches.
  void Shutdown();

 private:
  using Key = std::pair<int64_t, int64_t>;  // Run, trigger.
  using Jobs = rpc::WatchedJobs<Key, v1::WatchTrainingResponse>;

  std::string FolderOf(int64_t run) const;
  std::string FolderOf(int64_t run, int64_t trigger) const;
  // Runs the job of a fit, or waits for the one that runs.
  absl::Status RunFit(const v1::FitGraphRequest& request, const std::string& folder);
  absl::StatusOr<v1::TrainingMachine> Machine() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status CheckTraining(const v1::StartTrainingRequest& request);
  // On whose behalf the training of a key is kept, as of the last call that started it.
  Claim ClaimOf(const Key& key) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteJob(const v1::StartTrainingRequest& request,
                        const models::TrainingSpec& training);
  void Train(Jobs::Job& job, const rpc::v1::JobDevice& device);
  // Continues from what is kept, trains, and keeps the result before anybody learns of it.
  absl::Status TrainAndKeep(const std::string& folder, const rpc::v1::JobDevice& device,
                            Jobs::Job& job);
  absl::Status KeepResult(const std::string& folder, const Key& key);
  // Remembers the number of threads that a training has found.
  void RememberThreads(const std::string& folder);
  // The name of a job's token.
  static std::string TokenOf(const std::string& what, int64_t run, int64_t trigger);
  // Runs a job to its end, and shows its progress.
  absl::Status RunJob(const std::string& what, const rpc::v1::JobDevice& device, Jobs& jobs,
                      Jobs::Job& job);
  // Reads the state of a training that this process did not run from the folder.
  absl::StatusOr<v1::WatchTrainingResponse> Recall(int64_t run, int64_t trigger) const;

  const TrainingsOptions options_;
  const int num_cores_;
  TrainingProcesses& processes_;
  selector::SelectorClient& selector_;
  model_store::ModelStoreClient& model_store_;
  RunFences fences_;
  KnownThreads known_threads_;
  TrainingMetrics metrics_{metrics::Process()};
  Mutex mutex_;
  std::optional<v1::TrainingMachine> machine_ ABSL_GUARDED_BY(mutex_);
  std::map<Key, Claim> claims_ ABSL_GUARDED_BY(mutex_);
  Jobs trainings_{"trainer server"};
  Jobs fits_{"trainer server"};
  JobRunner runner_;
  KeptFolders kept_;
  FittedStates fitted_;
  CheckpointKeeper keeper_;
  const std::string share_folder_;
  // Their tasks use all members above.
  WorkerPool fit_slots_;
  devices::Slots slots_;
  const v1::Preparation preparation_;
};

}  // namespace tidemill::trainer_server

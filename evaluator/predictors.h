// The processes that predict. Each has one model loaded and answers one request at a time.
//
//    Take(7) ---> [model 7, busy]   [model 3, idle]   [model 7, idle]
//                        |                 ^                 |
//                        |                 |                 +--> a request of model 7 takes it
//                        |                 +--------------------- the least recently used one ends
//                        +--> idle again once it has answered          when model 9 needs a place
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "evaluator/job_runner.h"
#include "rpc/jobs/message_socket.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// Runs a job that has `prediction`, which ends only when it fails or `stop` is requested. Returns
// the errors of JobRunner. Thread-safe.
using PredictorRunner = std::function<absl::Status(
    const v1::EvaluationJob& job, const ReportSink& report, const std::stop_token& stop)>;

struct PredictorsOptions {
  // The folder of the sockets of the processes.
  std::string folder;
  // The most processes, busy or idle. Each holds the weights of a model.
  int max_processes = 2;
  // How long a request waits for a process while all are busy.
  std::chrono::milliseconds longest_wait{10'000};
  // How long a process stays idle at least before another model gets its place: between two
  // requests of one stream it is idle, too.
  std::chrono::milliseconds least_idle{250};
};

// Thread-safe. Processes that are idle stay until another model needs their place, so that the next
// request for their model is answered at once.
class Predictors {
  struct Process;

 public:
  // Whether the caller still waits; called periodically.
  using Alive = rpc::MessageSocket::Alive;

  // A process that belongs to one request. The destructor returns it. Thread-compatible.
  class Lease {
   public:
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    const v1::PredictingModel& model() const { return model_; }

    // Returns the model's predictions for the records. UNAVAILABLE when the process died: the
    // request may be retried. CANCELLED when `alive` returns false. After any error the process is
    // replaced.
    absl::StatusOr<v1::Predictions> Predict(const v1::PredictionRecords& records,
                                            const Alive& alive);

   private:
    friend class Predictors;
    Lease(Predictors& owner, std::shared_ptr<Process> process, rpc::MessageSocket connection)
        : owner_(&owner), process_(std::move(process)), connection_(std::move(connection)) {}
    absl::StatusOr<v1::PredictResponse> Receive(const Alive& alive);

    Predictors* owner_;
    std::shared_ptr<Process> process_;  // nullptr when moved from.
    rpc::MessageSocket connection_;
    v1::PredictingModel model_;
    // Whether the process waits for the next records, so that another request can have it.
    bool is_sound_ = false;
  };

  Predictors(PredictorsOptions options, PredictorRunner run_job);
  // Stops the processes. Leases must have ended.
  ~Predictors();

  // Returns an idle process of the model, or starts one and waits until it has loaded the model.
  // Returns the errors of RunPredictions() when the model cannot be loaded. RESOURCE_EXHAUSTED when
  // all processes stay busy. CANCELLED when `alive` returns false. UNAVAILABLE when the process
  // died, or when the service stops.
  absl::StatusOr<Lease> Take(ModelId model, const Alive& alive) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the processes that have a model of the run.
  void DeleteRun(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends all processes and the calls that wait.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using SharedProcess = std::shared_ptr<Process>;

  // Returns a process of the model that this caller has now, or nullptr when there is no place now.
  SharedProcess TryTake(ModelId model) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  SharedProcess Start(ModelId model) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends the least recently used idle process, unless one is ending.
  void EndIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status AwaitListening(Process& process, const Alive& alive) ABSL_LOCKS_EXCLUDED(mutex_);
  void RunProcess(Process& process) ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveBack(Process& process, bool is_sound) ABSL_LOCKS_EXCLUDED(mutex_);

  const PredictorsOptions options_;
  const PredictorRunner run_job_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t num_started_ ABSL_GUARDED_BY(mutex_) = 0;
  // The processes that have not ended. Their tasks and leases share them.
  std::vector<SharedProcess> processes_ ABSL_GUARDED_BY(mutex_);
  WorkerPool pool_;  // The last member: its tasks use all members above.
};

}  // namespace tidemill::evaluator

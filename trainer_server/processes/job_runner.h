// Runs the processes of a job.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "rpc/jobs/job_tokens.h"
#include "tidemill/rpc/v1/device.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"
#include "trainer_server/processes/job_usage.h"
#include "trainer_server/processes/ranked_training.h"
#include "trainer_server/processes/training_processes.h"

namespace tidemill::trainer_server {

// What the processes of jobs do.
inline constexpr char kFit[] = "fit";
inline constexpr char kTrain[] = "train";

// Gives each job its own token, and counts what its processes use. Thread-safe.
class JobRunner {
 public:
  // Receives the progress of a job, with what it has used so far.
  using Progress = std::function<void(const v1::WatchTrainingResponse&)>;

  // Both must outlive this object. A rank that is silent for `rank_patience` is lost.
  JobRunner(TrainingProcesses& processes, rpc::JobTokens& tokens,
            std::chrono::milliseconds rank_patience)
      : processes_(processes), tokens_(tokens), rank_patience_(rank_patience) {}

  // Runs a job to its end: again when its process was killed or could not reach a service, at most
  // five times. `token` is the name of its token. Returns the status of the last process. CANCELLED
  // when `stop` is requested.
  absl::Status Run(const std::string& what, const std::string& folder, const std::string& token,
                   const rpc::v1::JobDevice& device, const Progress& progress,
                   const std::stop_token& stop);

 private:
  // Runs the processes of a training with ranks.
  absl::Status RunRanks(RankedTrainingOptions options, const Progress& progress, JobUsage& used,
                        const std::stop_token& stop);

  TrainingProcesses& processes_;
  rpc::JobTokens& tokens_;
  const std::chrono::milliseconds rank_patience_;
};

}  // namespace tidemill::trainer_server

// Runs the jobs of trigger folders in processes forked from a zygote of tidemill-train.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process/zygote.h"
#include "base/status.h"
#include "tidemill/rpc/v1/device.pb.h"

namespace tidemill::trainer_server {

namespace v1 {
class WatchTrainingResponse;
}

// The exit code of a job is this plus its status code. It is above the exit codes of shells and
// sysexits.h.
inline constexpr int kExitCodeBase = 100;

// Thread-safe.
class TrainingProcesses {
 public:
  // Called with each progress message of a job.
  using Progress = std::function<void(const v1::WatchTrainingResponse&)>;

  // `side_by_side`: several trainings on processors run at the same time. `variables` (NAME=VALUE)
  // are for the processes. NOT_FOUND when there is no such program.
  static absl::StatusOr<std::unique_ptr<TrainingProcesses>> Start(
      const std::string& program, bool side_by_side = false,
      std::vector<std::string> variables = {});
  ~TrainingProcesses();

  // Runs `what` ("fit" or "train") on a folder and a device. Returns the job's status when its
  // process has ended. ABORTED when the process was killed and may be run again. CANCELLED when
  // `stop` is requested, which kills the process.
  absl::Status Run(const std::string& what, const std::string& folder,
                   const rpc::v1::JobDevice& device, const Progress& progress,
                   const std::stop_token& stop);

  // The same for a job with these arguments, the first two of which are `what` and `folder`.
  absl::Status Run(std::vector<std::string> arguments, const rpc::v1::JobDevice& device,
                   const Progress& progress, const std::stop_token& stop);

  // How long a job that is stopped from here on may take to end.
  void SetGrace(std::chrono::milliseconds grace) { zygote_->SetGrace(grace); }
  bool has_grace() const { return zygote_->has_grace(); }

 private:
  explicit TrainingProcesses(std::unique_ptr<process::Zygote> zygote);
  const std::unique_ptr<process::Zygote> zygote_;
};

}  // namespace tidemill::trainer_server

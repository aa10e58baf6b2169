#include "trainer_server/processes/training_processes.h"

#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/util/json_util.h"

#include "devices/owned_device.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::trainer_server {

absl::StatusOr<std::unique_ptr<TrainingProcesses>> TrainingProcesses::Start(
    const std::string& program, bool side_by_side, std::vector<std::string> variables) {
  // Threads of one training that wait for one another actively would take the processors from the
  // other trainings. Weights do not depend on how threads wait.
  if (side_by_side) variables.emplace_back("OMP_WAIT_POLICY=PASSIVE");
  ASSIGN_OR_RETURN(auto zygote, process::Zygote::Start(program, variables));
  return std::unique_ptr<TrainingProcesses>(new TrainingProcesses(std::move(zygote)));
}

TrainingProcesses::TrainingProcesses(std::unique_ptr<process::Zygote> zygote)
    : zygote_(std::move(zygote)) {}

TrainingProcesses::~TrainingProcesses() = default;

absl::Status TrainingProcesses::Run(const std::string& what, const std::string& folder,
                                    const rpc::v1::JobDevice& device, const Progress& progress,
                                    const std::stop_token& stop) {
  return Run({what, folder}, device, progress, stop);
}

absl::Status TrainingProcesses::Run(std::vector<std::string> arguments,
                                    const rpc::v1::JobDevice& device, const Progress& progress,
                                    const std::stop_token& stop) {
  std::string described;
  const auto written = google::protobuf::util::MessageToJsonString(device, &described);
  if (!written.ok()) return Internal("the device of a job cannot be described");
  arguments.insert(arguments.begin() + 2, std::move(described));
  const auto mode =
      devices::NeedsOwnProgram(device) ? process::SpawnMode::kExecute : process::SpawnMode::kFork;
  std::string error;
  const auto sink = [&](const std::string& line) {
    v1::WatchTrainingResponse message;
    if (!google::protobuf::util::JsonStringToMessage(line, &message).ok()) return absl::OkStatus();
    if (!message.error().empty()) error = message.error();
    progress(message);
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(const process::JobExit exit, zygote_->Run(arguments, mode, sink, stop));
  if (exit.ok()) return absl::OkStatus();
  if (exit.code && *exit.code > kExitCodeBase && !error.empty()) {
    return {static_cast<absl::StatusCode>(*exit.code - kExitCodeBase), error};
  }
  if (exit.code) return Internal("the process of the job {}", exit.Describe());
  return absl::AbortedError(fmt::format("the process of the job {}", exit.Describe()));
}

}  // namespace tidemill::trainer_server

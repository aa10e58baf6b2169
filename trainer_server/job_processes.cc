#include "trainer_server/job_processes.h"

#include <optional>
#include <utility>

#include "google/protobuf/util/json_util.h"

#include "base/process/zygote.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::trainer_server {

absl::StatusOr<std::unique_ptr<JobProcesses>> JobProcesses::Start(const std::string& program) {
  ASSIGN_OR_RETURN(auto zygote, process::Zygote::Start(program));
  return std::unique_ptr<JobProcesses>(new JobProcesses(std::move(zygote)));
}

JobProcesses::JobProcesses(std::unique_ptr<process::Zygote> zygote) : zygote_(std::move(zygote)) {}

JobProcesses::~JobProcesses() = default;

absl::Status JobProcesses::Run(const std::string& what, const std::string& folder,
                               process::SpawnMode mode, const Progress& progress,
                               const std::stop_token& stop) {
  if (stop.stop_requested()) return Cancelled("it was stopped before it began");
  ASSIGN_OR_RETURN(const auto job, zygote_->Spawn({what, folder}, mode));
  const std::stop_callback kill(stop, [&] { job->Kill(); });
  std::string error;
  while (const std::optional<std::string> line = job->ReadLine()) {
    v1::WatchTrainingResponse message;
    if (!google::protobuf::util::JsonStringToMessage(*line, &message).ok()) continue;
    if (!message.error().empty()) error = message.error();
    progress(message);
  }
  const process::JobExit exit = job->Wait();
  if (exit.ok()) return absl::OkStatus();
  if (stop.stop_requested()) return Cancelled("stopped");
  if (exit.code && *exit.code > kExitCodeBase && !error.empty()) {
    return {static_cast<absl::StatusCode>(*exit.code - kExitCodeBase), error};
  }
  if (exit.code) return Internal("the process of the job {}", exit.Describe());
  return absl::AbortedError(fmt::format("the process of the job {}", exit.Describe()));
}

}  // namespace tidemill::trainer_server

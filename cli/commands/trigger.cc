#include "cli/commands/trigger.h"

#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/terminal/exit_codes.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

int Trigger(const GlobalFlags& flags, int64_t run) {
  return WithSession(flags, [&](const Session& session) -> int {
    supervisor::v1::TriggerRunRequest request;
    request.mutable_command()->set_request_id(rpc::NewRequestId());
    request.set_run_id(run);
    supervisor::v1::TriggerRunResponse response;
    const absl::Status status = session.Call<supervisor::v1::SupervisorService>(
        "supervisor", &supervisor::v1::SupervisorService::Stub::TriggerRun, request, &response);
    if (!status.ok()) return Report(status);
    if (flags.json) {
      fmt::print("{}\n",
                 nlohmann::ordered_json({{"run", run}, {"trigger", response.trigger()}}).dump());
    } else {
      fmt::print("run {}: trigger {} fires as soon as there is something new\n", run,
                 response.trigger());
    }
    return kDone;
  });
}

}  // namespace

void AddTriggerCommand(Command& app) {
  Command& trigger =
      app.AddSubcommand("trigger", "Have a live run retrain now, whatever its policy says");
  static int64_t run = 0;
  trigger.AddOption("run", run, "Run id").Required().TypeName("RUN");
  SetAction(trigger, [](const GlobalFlags& flags) { return Trigger(flags, run); });
}

}  // namespace tidemill::cli

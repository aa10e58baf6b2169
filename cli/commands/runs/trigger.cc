#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/with_run.h"
#include "cli/commands/runs/commands.h"
#include "cli/terminal/exit_codes.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

int Trigger(const GlobalFlags& flags, const std::string& name) {
  return WithRun(flags, name, [&](const Session& session, int64_t run) -> int {
    const auto asked = session.Ask(&supervisor::SupervisorClient::TriggerRun, RunId{run});
    if (!asked.ok()) return Report(asked.status());
    if (flags.json) {
      fmt::print("{}\n",
                 nlohmann::ordered_json({{"run", run}, {"trigger", asked->trigger()}}).dump());
    } else {
      fmt::print("run {}: trigger {} fires as soon as there is something new\n", run,
                 asked->trigger());
    }
    return kDone;
  });
}

}  // namespace

void AddTriggerCommand(Command& app) {
  Command& trigger =
      app.AddSubcommand("trigger", "Have a live run retrain now, whatever its policy says");
  static std::string run;
  trigger.AddOption("run", run, kRunMeaning).Required().TypeName("RUN");
  SetAction(trigger, [](const GlobalFlags& flags) { return Trigger(flags, run); });
  trigger.AddExample("tidemill trigger 12");
}

}  // namespace tidemill::cli

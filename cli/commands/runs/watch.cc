#include "cli/views/watch.h"

#include "cli/command_line/action.h"
#include "cli/command_line/with_run.h"
#include "cli/commands/runs/commands.h"

namespace tidemill::cli {

void AddWatchCommand(Command& app) {
  Command& watch =
      app.AddSubcommand("watch", "Follow a run to its end as `run` does, and exit with its result");
  static std::string name;
  static bool full = false;
  AddFullFlag(watch, full);
  watch.AddOption("run", name, kRunMeaning).Required().TypeName("RUN");
  SetAction(watch, [](const GlobalFlags& flags) {
    return WithRun(flags, name, [&](const Session& session, int64_t run) {
      return FollowRun(session, run, flags.quiet, flags.json, full);
    });
  });
  watch.AddExample("tidemill watch 12");
}

}  // namespace tidemill::cli

#include "cli/commands/watch.h"

#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/views/watch.h"

namespace tidemill::cli {

void AddWatchCommand(Command& app) {
  Command& watch =
      app.AddSubcommand("watch", "Follow a run to its end as `run` does, and exit with its result");
  static int64_t run = 0;
  static bool full = false;
  AddFullFlag(watch, full);
  watch.AddOption("run", run, "Run id").Required().TypeName("RUN");
  SetAction(watch, [](const GlobalFlags& flags) {
    return WithSession(flags, [&](const Session& session) {
      return FollowRun(session, run, flags.quiet, flags.json, full);
    });
  });
}

}  // namespace tidemill::cli

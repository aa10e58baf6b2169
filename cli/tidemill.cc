#include "cli/tidemill.h"

#include <grpc/support/log.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "fmt/format.h"

#include "base/version.h"
#include "cli/bench/bench_command.h"
#include "cli/command_line/action.h"
#include "cli/command_line/misuse.h"
#include "cli/commands/backtest.h"
#include "cli/commands/check.h"
#include "cli/commands/compare.h"
#include "cli/commands/completion.h"
#include "cli/commands/datasets.h"
#include "cli/commands/doctor.h"
#include "cli/commands/explain.h"
#include "cli/commands/logs.h"
#include "cli/commands/models.h"
#include "cli/commands/pipelines.h"
#include "cli/commands/plugin.h"
#include "cli/commands/report.h"
#include "cli/commands/run.h"
#include "cli/commands/runs.h"
#include "cli/commands/stack.h"
#include "cli/commands/top.h"
#include "cli/commands/trigger.h"
#include "cli/commands/watch.h"
#include "cli/commands/why.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

// The commands in the order in which help lists them. A new one is a line here.
constexpr void (*kCommands[])(Command&) = {
    AddRunCommand,       AddCheckCommand,      AddExplainCommand, AddStackCommands,
    AddDatasetsCommands, AddPipelinesCommands, AddRunsCommands,   AddModelsCommands,
    AddReportCommands,   AddWatchCommand,      AddTopCommand,     AddWhyCommand,
    AddTriggerCommand,   AddBacktestCommand,   AddCompareCommand, AddBenchCommands,
    AddLogsCommand,      AddDoctorCommand,     AddPluginCommands, AddCompletionCommands,
};

}  // namespace

std::unique_ptr<Command> MakeCommandLine() {
  auto app = std::make_unique<Command>("tidemill",
                                       "Decides when to retrain a model, and on which samples.");
  app->SetVersion(std::string("tidemill ") + kVersion);
  app->RequireSubcommand();
  for (const auto add : kCommands) add(*app);
  app->SetFooter(
      "Exit codes: 0 done, 1 failed, 2 usage, 3 invalid pipeline, 4 not found, 5 unreachable, "
      "6 not allowed, 7 conflict, 8 finished with losses, 130 detached.");
  return app;
}

namespace {

// Says that the output is not whole; a command that has failed keeps its exit code.
int OutputLost(int code, int reason) {
  fmt::print(stderr, "tidemill: the output could not be written{}{}\n", reason == 0 ? "" : ": ",
             reason == 0 ? "" : std::strerror(reason));
  return code == kDone ? kFailed : code;
}

// What a command printed is only known to have arrived once it is flushed: a short output waits in
// memory until then.
int WithOutputWritten(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return OutputLost(code, errno);
}

// fmt reports what cannot be written by an exception.
int RunAction() {
  try {
    return WithOutputWritten(RunChosenAction());
  } catch (const std::system_error& error) {
    return OutputLost(kDone, error.code().value());
  }
}

}  // namespace

int RunCommandLine(int argc, char** argv) {
  const auto app = MakeCommandLine();
  // What went wrong is told once, by the status that a call ends with.
  gpr_set_log_function([](gpr_log_func_args*) {});
  const auto wish = app->Parse(argc, argv);
  if (!wish.ok()) {
    const auto unknown =
        FindUnknownWord(DescribeTree(*app), std::vector<std::string>(argv + 1, argv + argc));
    fmt::print(stderr, "tidemill: {}\n  --help lists the commands and flags\n",
               Printable(unknown.value_or(std::string(wish.status().message()))));
    return kUsage;
  }
  return *wish == Wish::kText ? WithOutputWritten(kDone) : RunAction();
}

}  // namespace tidemill::cli

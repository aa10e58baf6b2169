#include "cli/tidemill.h"

#include <grpc/support/log.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "fmt/format.h"

#include "base/version.h"
#include "cli/bench/bench_command.h"
#include "cli/command_line/action.h"
#include "cli/command_line/misuse.h"
#include "cli/commands/datasets/commands.h"
#include "cli/commands/models/commands.h"
#include "cli/commands/pipelines/commands.h"
#include "cli/commands/runs/commands.h"
#include "cli/commands/stack/commands.h"
#include "cli/sweep/sweep_command.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

// The commands in the order in which help lists them. A new one is a line here.
constexpr void (*kCommands[])(Command&) = {
    AddInitCommand,        AddRunCommand,       AddCheckCommand,      AddExplainCommand,
    AddStackCommands,      AddDatasetsCommands, AddPipelinesCommands, AddRunsCommands,
    AddModelsCommands,     AddPredictCommand,   AddReportCommands,    AddWatchCommand,
    AddTopCommand,         AddWhyCommand,       AddTriggerCommand,    AddBacktestCommand,
    AddCompareCommand,     AddSweepCommand,     AddBenchCommands,     AddLogsCommand,
    AddDoctorCommand,      AddTrainersCommands, AddWorkersCommands,   AddPluginCommands,
    AddCompletionCommands,
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

// Output has arrived only once it is flushed: a short output waits in memory until then.
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
  // An error is reported once, by the status that a call ends with.
  gpr_set_log_function([](gpr_log_func_args*) {});
  const auto parsed = app->Parse(argc, argv);
  if (!parsed.ok()) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto unknown = FindUnknownWord(DescribeTree(*app), words);
    // The flag was not parsed when a word before it is wrong.
    if (std::ranges::find(words, "--json") != words.end()) SetErrorsAsJson(true);
    ReportUsage(unknown.value_or(std::string(parsed.status().message())),
                "--help lists the commands and flags");
    return WithOutputWritten(kUsage);
  }
  return *parsed == ParseResult::kText ? WithOutputWritten(kDone) : RunAction();
}

}  // namespace tidemill::cli

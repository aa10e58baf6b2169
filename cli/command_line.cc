#include "cli/command_line.h"

#include <grpc/support/log.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <system_error>

#include "fmt/format.h"

#include "base/time.h"
#include "base/version.h"
#include "cli/exit_codes.h"
#include "cli/misuse.h"
#include "cli/text.h"

namespace tidemill::cli {
namespace {

struct Chosen {
  GlobalFlags flags;
  Action action;
};

Chosen& TheChosen() {
  static Chosen chosen;
  return chosen;
}

// Where the stack is, and how to be let in.
void AddStackFlags(Command& command, StackAddress& stack) {
  const auto option = [&](const char* name, std::string& value, const char* type,
                          const char* meaning) {
    command.AddOption(name, value, meaning).TypeName(type);
  };
  option("--state", stack.state, "FOLDER",
         "State folder of the local stack (default: $TIDEMILL_STATE, or the user's state folder)");
  option("--config", stack.config, "FILE",
         "System configuration of a remote stack (default: $TIDEMILL_CONFIG)");
  option("--server", stack.server, "ENDPOINT",
         "Where a remote stack's supervisor listens (default: $TIDEMILL_SERVER)");
  option("--token-file", stack.token_file, "FILE",
         "Token for a remote stack (default: $TIDEMILL_TOKEN_FILE)");
  option("--tls-ca", stack.tls_ca, "FILE",
         "Authority that a remote stack's certificates are verified by (default: "
         "$TIDEMILL_TLS_CA)");
  option("--tls-certificate", stack.tls_certificate, "FILE",
         "Certificate to show to a remote stack (default: $TIDEMILL_TLS_CERTIFICATE)");
  option("--tls-key", stack.tls_key, "FILE",
         "Key of that certificate (default: $TIDEMILL_TLS_KEY)");
}

}  // namespace

void SetAction(Command& command, Action action) {
  GlobalFlags& flags = TheChosen().flags;
  AddStackFlags(command, flags);
  command.AddOption("--timeout", flags.timeout, "Longest wait for a service (default: 1m)")
      .TypeName("DURATION")
      .Check([](const std::string& text) {
        return ParseDuration(text).ok() ? "" : text + " is no duration such as 30s";
      });
  command.AddFlag("--json", flags.json, "Print one JSON document on stdout");
  command.AddFlag("-q,--quiet", flags.quiet, "Print no progress");
  command.WhenGiven([action = std::move(action)] { TheChosen().action = action; });
}

void AddFullFlag(Command& command, bool& full) {
  command.AddFlag("--full", full,
                  "Print every trigger and every row and column of the matrices, however large");
}

std::unique_ptr<Command> MakeCommandLine() {
  auto app = std::make_unique<Command>("tidemill",
                                       "Decides when to retrain a model, and on which samples.");
  app->SetVersion(std::string("tidemill ") + kVersion);
  app->RequireSubcommand();
  AddRunCommand(*app);
  AddCheckCommand(*app);
  AddExplainCommand(*app);
  AddStackCommands(*app);
  AddDatasetsCommands(*app);
  AddPipelinesCommands(*app);
  AddRunsCommands(*app);
  AddModelsCommands(*app);
  AddReportCommands(*app);
  AddWatchCommand(*app);
  AddTopCommand(*app);
  AddWhyCommand(*app);
  AddTriggerCommand(*app);
  AddBacktestCommand(*app);
  AddCompareCommand(*app);
  AddLogsCommand(*app);
  AddDoctorCommand(*app);
  AddCompletionCommands(*app);
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
    return WithOutputWritten(TheChosen().action(TheChosen().flags));
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
    fmt::print(stderr, "tidemill: {}\n  --help says what there is\n",
               Printable(unknown.value_or(std::string(wish.status().message()))));
    return kUsage;
  }
  return *wish == Wish::kText ? WithOutputWritten(kDone) : RunAction();
}

}  // namespace tidemill::cli

#include "cli/command_line/action.h"

#include <string>
#include <utility>

#include "base/time.h"
#include "cli/terminal/exit_codes.h"

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

// The address of the stack, and the credentials for it.
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
         "Endpoint of a remote stack's supervisor (default: $TIDEMILL_SERVER)");
  option("--token-file", stack.token_file, "FILE",
         "Token for a remote stack (default: $TIDEMILL_TOKEN_FILE)");
  option("--tls-ca", stack.tls_ca, "FILE",
         "Authority that verifies a remote stack's certificates (default: "
         "$TIDEMILL_TLS_CA)");
  option("--tls-certificate", stack.tls_certificate, "FILE",
         "Certificate to present to a remote stack (default: $TIDEMILL_TLS_CERTIFICATE)");
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
        return ParseDuration(text).ok() ? "" : text + " is not a duration such as 30s";
      });
  command.AddFlag("--json", flags.json, "Print one JSON document on stdout");
  command.AddFlag("-q,--quiet", flags.quiet, "Print no progress");
  command.WhenGiven([action = std::move(action)] { TheChosen().action = action; });
}

void AddFullFlag(Command& command, bool& full) {
  command.AddFlag("--full", full,
                  "Print every trigger and every row and column of the matrices, however large");
}

int RunChosenAction() {
  SetErrorsAsJson(TheChosen().flags.json);
  return TheChosen().action(TheChosen().flags);
}

}  // namespace tidemill::cli

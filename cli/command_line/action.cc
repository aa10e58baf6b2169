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
struct StackFlag {
  const char* name;
  std::string StackAddress::*value;
  const char* type;
  const char* meaning;
};
constexpr StackFlag kStackFlags[] = {
    {"--state", &StackAddress::state, "FOLDER",
     "State folder of the local stack (default: $TIDEMILL_STATE, or the user's state folder)"},
    {"--config", &StackAddress::config, "FILE",
     "System configuration of a remote stack (default: $TIDEMILL_CONFIG)"},
    {"--server", &StackAddress::server, "ENDPOINT",
     "Endpoint of a remote stack's supervisor (default: $TIDEMILL_SERVER)"},
    {"--token-file", &StackAddress::token_file, "FILE",
     "Token for a remote stack (default: $TIDEMILL_TOKEN_FILE)"},
    {"--tls-ca", &StackAddress::tls_ca, "FILE",
     "Authority that verifies a remote stack's certificates (default: $TIDEMILL_TLS_CA)"},
    {"--tls-certificate", &StackAddress::tls_certificate, "FILE",
     "Certificate to present to a remote stack (default: $TIDEMILL_TLS_CERTIFICATE)"},
    {"--tls-key", &StackAddress::tls_key, "FILE",
     "Key of that certificate (default: $TIDEMILL_TLS_KEY)"},
};

}  // namespace

void SetAction(Command& command, Action action) {
  GlobalFlags& flags = TheChosen().flags;
  for (const StackFlag& flag : kStackFlags) {
    command.AddOption(flag.name, flags.*flag.value, flag.meaning).TypeName(flag.type);
  }
  command.AddOption("--timeout", flags.timeout, "Longest wait for a service (default: 1m)")
      .TypeName("DURATION")
      .Check([](const std::string& text) {
        return ParseDuration(text).ok() ? "" : text + " is not a duration such as 30s";
      });
  command.AddFlag("--json", flags.json, "Print one JSON document on stdout");
  command.AddFlag("-q,--quiet", flags.quiet, "Print no progress");
  command.WhenGiven([action = std::move(action)] { TheChosen().action = action; });
}

void SetStackFlags(const std::map<std::string, std::string>& values, StackAddress& stack) {
  for (const StackFlag& flag : kStackFlags) {
    if (const auto given = values.find(flag.name); given != values.end())
      stack.*flag.value = given->second;
  }
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

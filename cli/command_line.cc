#include "cli/command_line.h"

#include <cstdio>
#include <map>

#include "fmt/format.h"

#include "cli/exit_codes.h"

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

void DescribeCommand(const CLI::App& command, const std::string& path, std::string& page) {
  const auto subcommands = command.get_subcommands([](const CLI::App*) { return true; });
  bool listed = false;
  for (const CLI::App* subcommand : subcommands) {
    if (subcommand->get_group().empty()) continue;
    DescribeCommand(*subcommand, path + " " + subcommand->get_name(), page);
    listed = true;
  }
  if (listed) return;
  page += fmt::format("## {}\n\n{}\n\n", path, command.get_description());
  page += "| argument | meaning |\n|---|---|\n";
  for (const CLI::Option* option : command.get_options()) {
    page +=
        fmt::format("| `{}` | {} |\n", option->get_name(false, true), option->get_description());
  }
  page += "\n";
}

}  // namespace

void SetAction(CLI::App& command, Action action) {
  GlobalFlags& flags = TheChosen().flags;
  command.add_option("--state", flags.state,
                     "State folder of the stack (default: $TIDEMILL_STATE, or the user's state "
                     "folder)");
  command.add_flag("--json", flags.json, "Print one JSON document on stdout");
  command.add_flag("-q,--quiet", flags.quiet, "Print no progress");
  command.callback([action = std::move(action)] { TheChosen().action = action; });
}

std::unique_ptr<CLI::App> MakeCommandLine() {
  auto app = std::make_unique<CLI::App>("Decides when to retrain a model, and on which samples.",
                                        "tidemill");
  app->set_version_flag("--version", "tidemill 0.1.0");
  app->require_subcommand(1);
  AddRunCommand(*app);
  AddCheckCommand(*app);
  AddExplainCommand(*app);
  AddStackCommands(*app);
  AddDatasetsCommands(*app);
  AddPipelinesCommands(*app);
  AddRunsCommands(*app);
  AddModelsCommands(*app);
  app->footer(
      "Exit codes: 0 done, 1 failed, 2 usage, 3 invalid pipeline, 4 not found, 5 unreachable, "
      "6 not allowed, 7 conflict, 8 finished with losses, 130 detached.");
  return app;
}

int RunCommandLine(int argc, char** argv) {
  const auto app = MakeCommandLine();
  // CLI11 reports usage errors by exceptions.
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app->exit(error) == 0 ? kDone : kUsage;
  }
  return TheChosen().action(TheChosen().flags);
}

std::string CommandReference() {
  std::string page = "# Commands\n\n";
  DescribeCommand(*MakeCommandLine(), "tidemill", page);
  return page;
}

}  // namespace tidemill::cli

// tidemill up, down, status, keep-stack
#include <chrono>
#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/command_line.h"
#include "cli/exit_codes.h"
#include "cli/local_stack.h"
#include "cli/text.h"

namespace tidemill::cli {
namespace {

int Up(const GlobalFlags& flags) {
  const auto begin = std::chrono::steady_clock::now();
  const auto layout = LayoutOf(flags.state);
  if (!layout.ok()) return Report(layout.status());
  const bool ran = KeeperOf(*layout).has_value();
  if (const absl::Status status = StartStack(*layout); !status.ok()) return Report(status);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (flags.json) {
    const nlohmann::ordered_json json = {
        {"state_folder", layout->state_folder}, {"started", !ran}, {"seconds", took.count()}};
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{} in {} ({})\n", ran ? "stack already runs" : "stack started",
               layout->state_folder, Elapsed(took.count()));
  }
  return kDone;
}

int Down(const GlobalFlags& flags, bool purge) {
  const auto layout = LayoutOf(flags.state);
  if (!layout.ok()) return Report(layout.status());
  const bool ran = KeeperOf(*layout).has_value();
  if (const absl::Status status = StopStack(*layout); !status.ok()) return Report(status);
  if (purge) {
    for (const std::string& folder : {layout->database_folder, layout->state_folder,
                                      layout->sockets_folder, layout->database_sockets_folder}) {
      if (const absl::Status status = files::Remove(folder); !status.ok()) return Report(status);
    }
  }
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"stopped", ran}, {"purged", purge}}).dump());
  } else {
    fmt::print("{}{}\n", ran ? "stack stopped" : "no stack was running",
               purge ? ", its state removed" : "");
  }
  return kDone;
}

int Status(const GlobalFlags& flags) {
  const auto layout = LayoutOf(flags.state);
  if (!layout.ok()) return Report(layout.status());
  const auto keeper = KeeperOf(*layout);
  bool all = keeper.has_value();
  Table table({"SERVICE", "STATE", "LOG"});
  nlohmann::ordered_json services = nlohmann::ordered_json::object();
  nlohmann::ordered_json endpoints = nlohmann::ordered_json::object();
  for (const char* service : kServices) {
    const bool answers = keeper && Answers(*layout, service);
    all = all && answers;
    table.Add({service, answers ? "answers" : "down", layout->LogFile(service)});
    services[service] = answers;
    endpoints[service] = layout->EndpointOf(service);
  }
  if (flags.json) {
    const nlohmann::ordered_json json = {{"state_folder", layout->state_folder},
                                         {"database_folder", layout->database_folder},
                                         {"running", keeper.has_value()},
                                         {"services", services},
                                         {"endpoints", endpoints}};
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}", table.ToString());
  }
  return all ? kDone : kUnreachable;
}

int Keep(const GlobalFlags& flags) {
  const auto layout = LayoutOf(flags.state);
  return layout.ok() ? KeepStack(*layout) : Report(layout.status());
}

}  // namespace

void AddStackCommands(CLI::App& app) {
  SetAction(*app.add_subcommand("up", "Start a local stack: PostgreSQL and every service"), Up);
  CLI::App* down = app.add_subcommand("down", "Stop the local stack");
  static bool purge = false;
  down->add_flag("--purge", purge, "Also remove everything the stack has stored");
  SetAction(*down, [](const GlobalFlags& flags) { return Down(flags, purge); });
  SetAction(*app.add_subcommand("status", "Tell whether the stack and its services run"), Status);
  CLI::App* keep = app.add_subcommand("keep-stack", "Be the parent of the stack's services");
  keep->group("");
  SetAction(*keep, Keep);
}

}  // namespace tidemill::cli

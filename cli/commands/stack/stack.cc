#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/threads/worker_pool.h"
#include "cli/command_line/action.h"
#include "cli/command_line/deletion.h"
#include "cli/commands/stack/commands.h"
#include "cli/stack/local_stack.h"
#include "cli/stack/session.h"
#include "cli/stack/stack_identity.h"
#include "cli/stack/stack_keeper.h"
#include "cli/stack/stack_network.h"
#include "cli/stack/stack_removal.h"
#include "cli/stack/stack_use.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

// The services' answers are waited for all at once.
constexpr std::chrono::seconds kPatience{2};

// The local stack that a command starts or stops. A remote stack is managed on its machines.
absl::StatusOr<StackLayout> LocalLayout(const GlobalFlags& flags, MissingFolder missing) {
  ASSIGN_OR_RETURN(const StackAddress address, WithEnvironment(flags));
  if (!address.config.empty() || !address.server.empty()) {
    return FailedPrecondition(
        "{} names a remote stack, and this command starts and stops local stacks only; name a "
        "local stack with --state, or leave it out",
        address.server.empty() ? "--config (or TIDEMILL_CONFIG)" : "--server (or TIDEMILL_SERVER)");
  }
  return LayoutOf(address.state, missing);
}

int Up(const GlobalFlags& flags) {
  const auto begin = std::chrono::steady_clock::now();
  const auto layout = LocalLayout(flags, MissingFolder::kMake);
  if (!layout.ok()) return Report(layout.status());
  const auto use = StackUse::Begin(*layout);
  if (!use.ok()) return Report(use.status());
  const auto ran = (*use)->StartPermanently();
  if (!ran.ok()) return Report(ran.status());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (flags.json) {
    const nlohmann::ordered_json json = {
        {"state_folder", layout->state_folder}, {"started", !*ran}, {"seconds", took.count()}};
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{} in {} ({})\n", *ran ? "stack already runs" : "stack started",
               layout->state_folder, Elapsed(took.count()));
  }
  return kDone;
}

struct DownFlags {
  bool purge = false;
  DeletionFlags deletion;
};

// The text of the question to the user, and of --dry-run.
std::string WhatGoesWithStack(const StackRemoval& removal, const StackLayout& layout) {
  std::string text =
      fmt::format("nothing, because no stack has stored anything in {}", layout.state_folder);
  if (!removal.paths.empty()) {
    text = removal.has_database
               ? "every run, model, report and dataset that the stack knows, but no "
                 "files of datasets: "
               : "no database, but ";
    text += fmt::format("{}", fmt::join(removal.paths, ", "));
  }
  if (!removal.processes.empty()) {
    text += fmt::format("; ending first the processes {}", fmt::join(removal.processes, ", "));
  }
  for (const std::string& left : removal.left) text += "; leaving " + left;
  return text;
}

void ShowEnd(const GlobalFlags& flags, bool ran, bool purge, const StackRemoval& removal) {
  if (flags.json) {
    nlohmann::ordered_json json = {{"stopped", ran}, {"purged", purge}};
    if (purge) {
      json["removed"] = removal.paths;
      json["left"] = removal.left;
    }
    fmt::print("{}\n", json.dump());
    return;
  }
  const char* const state = removal.has_database    ? ", its state removed"
                            : removal.paths.empty() ? ", nothing was there to remove"
                                                    : ", its files removed, but no database";
  fmt::print("{}{}\n", ran ? "stack stopped" : "no stack was running", purge ? state : "");
  for (const std::string& left : removal.left) fmt::print("left: {}\n", Printable(left));
}

int Down(const GlobalFlags& flags, const DownFlags& down) {
  const bool purge = down.purge;
  if (!purge && (down.deletion.yes || down.deletion.dry_run)) {
    return Report(
        InvalidArgument("--yes and --dry-run need --purge, because nothing else is deleted"));
  }
  const auto layout = LocalLayout(flags, MissingFolder::kLeave);
  if (!layout.ok()) return Report(layout.status());
  StackRemoval removal;
  if (purge) {
    auto plan = PlanRemoval(*layout);
    if (!plan.ok()) return Report(plan.status());
    removal = *std::move(plan);
    const auto end = SettleDeletion(flags, down.deletion, WhatGoesWithStack(removal, *layout));
    if (end) return *end;
  }
  // A copy must not end the processes of its original.
  const bool is_copy = IsCopy(*layout);
  const bool ran = !is_copy && (KeeperOf(*layout) || StrayKeeperOf(*layout));
  if (!is_copy) {
    if (const absl::Status status = StopStack(*layout); !status.ok()) return Report(status);
  }
  if (purge) {
    const absl::Status removed = CarryOut(removal, *layout);
    if (!removed.ok()) return Report(removed);
  }
  ShowEnd(flags, ran, purge, removal);
  return kDone;
}

struct ServiceState {
  std::string name;
  std::string endpoint;
  bool answers = false;
};

// The socket of a stopped process still accepts connections: only received bytes prove an answer.
void Ask(const std::vector<rpc::Peer>& peers, std::vector<ServiceState>& services) {
  const auto deadline = std::chrono::system_clock::now() + kPatience;
  const auto count = std::ssize(services);
  WorkerPool askers("ask", static_cast<int>(count) - 1);
  askers.ParallelFor(count, [&](int64_t i) {
    services[i].answers = rpc::Connect(peers[i])->WaitForConnected(deadline);
  });
}

std::vector<ServiceState> StatesOf(const Session& session) {
  std::vector<ServiceState> services;
  std::vector<rpc::Peer> peers;
  for (const char* service : kServices) {
    const rpc::Peer peer = session.PeerOf(service);
    if (peer.endpoint.empty()) continue;  // Where it listens is not known on this side.
    services.push_back({.name = service, .endpoint = peer.endpoint});
    peers.push_back(peer);
  }
  Ask(peers, services);
  return services;
}

nlohmann::ordered_json StatusToJson(const std::vector<ServiceState>& services) {
  nlohmann::ordered_json json = {{"services", nlohmann::ordered_json::object()},
                                 {"endpoints", nlohmann::ordered_json::object()}};
  for (const ServiceState& service : services) {
    json["services"][service.name] = service.answers;
    json["endpoints"][service.name] = service.endpoint;
  }
  return json;
}

bool AllAnswer(const std::vector<ServiceState>& services) {
  return std::all_of(services.begin(), services.end(),
                     [](const ServiceState& service) { return service.answers; });
}

int StatusOfRemote(const GlobalFlags& flags) {
  const auto session = Session::Attach(flags);
  if (!session.ok()) return Report(session.status());
  const std::vector<ServiceState> services = StatesOf(*session);
  Table table({"SERVICE", "STATE", "ENDPOINT"});
  for (const ServiceState& service : services) {
    table.Add({service.name, service.answers ? "answers" : "does not answer", service.endpoint});
  }
  fmt::print("{}", flags.json ? StatusToJson(services).dump() + "\n" : table.ToString());
  return AllAnswer(services) ? kDone : kUnreachable;
}

int StatusOfLocal(const GlobalFlags& flags, const StackLayout& layout) {
  const auto keeper = KeeperOf(layout);
  std::vector<ServiceState> services;
  std::vector<rpc::Peer> peers;
  for (const std::string& service : ServicesOf(layout)) {
    services.push_back({.name = service, .endpoint = layout.EndpointOf(service)});
    peers.push_back({.endpoint = services.back().endpoint, .token = {}});
  }
  if (keeper) Ask(peers, services);
  if (flags.json) {
    nlohmann::ordered_json json = {{"state_folder", layout.state_folder},
                                   {"database_folder", layout.database_folder},
                                   {"running", keeper.has_value()}};
    json.update(StatusToJson(services));
    fmt::print("{}\n", json.dump());
  } else {
    Table table({"SERVICE", "STATE", "LOG"});
    for (const ServiceState& service : services) {
      const bool listens = keeper && Listens(layout, service.name);
      const char* const state = service.answers ? "answers" : listens ? "does not answer" : "down";
      table.Add({service.name, state, layout.LogFile(service.name)});
    }
    fmt::print("{}", table.ToString());
  }
  return keeper && AllAnswer(services) ? kDone : kUnreachable;
}

int Status(const GlobalFlags& flags) {
  const auto address = WithEnvironment(flags);
  if (!address.ok()) return Report(address.status());
  if (!address->config.empty() || !address->server.empty()) return StatusOfRemote(flags);
  const auto layout = LayoutOf(address->state);
  return layout.ok() ? StatusOfLocal(flags, *layout) : Report(layout.status());
}

int Keep(const GlobalFlags& flags) {
  const auto layout = LayoutOf(flags.state);
  return layout.ok() ? KeepStack(*layout) : Report(layout.status());
}

}  // namespace

void AddStackCommands(Command& app) {
  Command& up = app.AddSubcommand("up", "Start a local stack: PostgreSQL and every service");
  SetAction(up, Up);
  up.AddExample("tidemill up");
  up.AddExample("tidemill up --state /data/tidemill");
  Command& down = app.AddSubcommand("down", "Stop the local stack");
  static DownFlags down_flags;
  down.AddFlag("--purge", down_flags.purge,
               "Also remove everything the stack has stored; asks at a terminal. A copied state "
               "folder loses only the copy; a folder that is not a state folder is refused");
  AddDeletionFlags(down, down_flags.deletion);
  SetAction(down, [](const GlobalFlags& flags) { return Down(flags, down_flags); });
  down.AddExample("tidemill down");
  down.AddExample("tidemill down --purge");
  Command& status = app.AddSubcommand("status", "Say whether the stack and its services run");
  SetAction(status, Status);
  status.AddExample("tidemill status --json");
  Command& keep = app.AddSubcommand("keep-stack", "Be the parent of the stack's services");
  keep.Hide();
  SetAction(keep, Keep);
}

}  // namespace tidemill::cli

#include <unistd.h>

#include <cstdio>
#include <string>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/stack/commands.h"
#include "cli/commands/stack/pool_text.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"
#include "supervisor_client/pool_client.h"

namespace tidemill::cli {
namespace {

struct DrainFlags {
  std::string name;
  bool undo = false;
};

int List(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto pool = session.Ask(&supervisor::PoolClient::Get);
    if (!pool.ok()) return Report(pool.status());
    fmt::print("{}", flags.json ? PoolToJson(*pool).dump() + "\n"
                                : DescribePool(*pool, Now().micros, TakesColour(STDOUT_FILENO)));
    return kDone;
  });
}

int Drain(const GlobalFlags& flags, const DrainFlags& wanted) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto member = session.Ask(&supervisor::PoolClient::Drain, wanted.name, !wanted.undo);
    if (!member.ok()) return Report(member.status());
    if (flags.json) {
      fmt::print("{}\n", MemberToJson(*member).dump());
    } else {
      fmt::print("{} {}\n", OneLine(member->name()),
                 wanted.undo ? "takes jobs again" : "finishes its jobs and takes no more");
    }
    return kDone;
  });
}

}  // namespace

void AddTrainersCommands(Command& app) {
  Command& trainers = app.AddSubcommand("trainers", "Trainer servers and evaluators");
  trainers.RequireSubcommand();
  Command& list = trainers.AddSubcommand(
      "list", "Show the trainer servers and evaluators, what runs there, and what waits for them");
  SetAction(list, List);
  list.AddExample("tidemill trainers list");
  Command& drain = trainers.AddSubcommand(
      "drain", "Let a trainer server or an evaluator finish its jobs, and give it no more");
  static DrainFlags flags;
  drain.AddOption("name", flags.name, "Its name, as `tidemill trainers list` shows it")
      .Required()
      .TypeName("NAME");
  drain.AddFlag("--undo", flags.undo, "Give it jobs again");
  SetAction(drain, [](const GlobalFlags& global) { return Drain(global, flags); });
  drain.AddExample("tidemill trainers drain gpu-7");
  drain.AddExample("tidemill trainers drain gpu-7 --undo");
}

}  // namespace tidemill::cli

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <thread>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/logs/log_file.h"
#include "cli/command_line/action.h"
#include "cli/command_line/names.h"
#include "cli/commands/stack/commands.h"
#include "cli/stack/local_stack.h"
#include "cli/stack/log_files.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/tone.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

constexpr std::chrono::milliseconds kPoll{100};

struct LogsFlags {
  std::string service;
  bool follow = false;
  std::string run;
  std::string level = "debug";
  std::string since;
  int64_t lines = 0;
};

// "10m" ago, or a time.
absl::StatusOr<Timestamp> SinceOf(const std::string& text) {
  if (text.empty()) return Timestamp{0};
  if (const auto ago = ParseDuration(text); ago.ok()) {
    return Timestamp{Now().micros - ago->micros};
  }
  auto time = ParseTimestamp(text);
  if (time.ok()) return time;
  return InvalidArgument("--since {} is neither a duration such as 10m nor a time", text);
}

std::string PathOf(const StackLayout& layout, const std::string& service) {
  if (service == "postgres") return files::Join(layout.database_folder, "postgres.log");
  return layout.LogFile(service);
}

absl::StatusOr<std::vector<LogFile>> FilesOf(const StackLayout& layout,
                                             const std::string& service) {
  std::vector<std::string> known(std::begin(kServices), std::end(kServices));
  known.insert(known.end(), {"stack", "postgres"});
  if (!service.empty() && std::find(known.begin(), known.end(), service) == known.end()) {
    return NotFound("there is no service {}; there are {}", service, fmt::join(known, ", "));
  }
  std::vector<LogFile> files;
  for (const std::string& name : known) {
    if (!service.empty() && service != name) continue;
    const std::string path = PathOf(layout, name);
    for (int number = log::kKeptFiles; number > 0; --number) {
      const std::string kept = log::LogFile::PathOf(path, number);
      if (files::Exists(kept)) files.emplace_back(kept, name, /*is_kept=*/true);
    }
    files.emplace_back(path, name);
  }
  return files;
}

void ShowLine(const LogLine& line, bool json, bool paint) {
  if (json) {
    fmt::print("{}\n", ToJson(line).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  const Tone tone = line.level == log::Level::kError  ? Tone::kBad
                    : line.level == log::Level::kWarn ? Tone::kDoubtful
                                                      : Tone::kPlain;
  fmt::print("{}\n", InTone(Printable(line.text), tone, paint));
}

// Reads all there is now; the last `lines` of it, if not 0, are shown.
void ShowPresent(LogFiles& files, const LogFilter& filter, int64_t lines, bool json, bool paint) {
  std::deque<LogLine> kept;
  while (auto line = files.Next()) {
    if (!filter.Admits(*line)) continue;
    if (lines == 0) {
      ShowLine(*line, json, paint);
      continue;
    }
    kept.push_back(*std::move(line));
    if (static_cast<int64_t>(kept.size()) > lines) kept.pop_front();
  }
  for (const LogLine& line : kept) ShowLine(line, json, paint);
}

// The number of the run that is named. A number needs no stack.
absl::StatusOr<std::string> RunToShow(const GlobalFlags& flags, const std::string& name) {
  if (!name.empty() && name.find_first_not_of('0') == std::string::npos) {
    return NotFound("runs are numbered from 1: there is no run 0");
  }
  if (name.find_first_not_of("0123456789") == std::string::npos) return name;
  ASSIGN_OR_RETURN(const Session session, Session::Attach(flags));
  ASSIGN_OR_RETURN(const RunId run, FindRun(session, name));
  return std::to_string(run.value);
}

int Logs(const GlobalFlags& flags, const LogsFlags& wanted) {
  const auto address = WithEnvironment(flags);
  if (!address.ok()) return Report(address.status());
  if (!address->config.empty() || !address->server.empty()) {
    return Report(
        FailedPrecondition("the logs of a remote stack are on the machines of its services; this "
                           "command reads the logs of a local stack only"));
  }
  const auto layout = LayoutOf(address->state);
  if (!layout.ok()) return Report(layout.status());
  const auto since = SinceOf(wanted.since);
  if (!since.ok()) {
    return ReportUsage(std::string(since.status().message()));
  }
  const auto run = RunToShow(flags, wanted.run);
  if (!run.ok()) return Report(run.status());
  auto list = FilesOf(*layout, wanted.service);
  if (!list.ok()) return Report(list.status());
  LogFiles files(*std::move(list));
  const LogFilter filter{.since = *since, .least = *LevelNamed(wanted.level), .run = *run};
  const bool paint = TakesColour(STDOUT_FILENO);
  ShowPresent(files, filter, wanted.lines, flags.json, paint);
  while (wanted.follow && std::fflush(stdout) == 0) {
    std::this_thread::sleep_for(kPoll);
    ShowPresent(files, filter, 0, flags.json, paint);
  }
  return kDone;
}

}  // namespace

void AddLogsCommand(Command& app) {
  Command& logs =
      app.AddSubcommand("logs", "Show the log lines of the services, in the order of time");
  static LogsFlags wanted;
  logs.AddOption("service", wanted.service, "Only this service, stack or postgres")
      .TypeName("SERVICE");
  logs.AddFlag("-f,--follow", wanted.follow, "Keep showing new lines until Ctrl-C");
  logs.AddOption("--run", wanted.run, "Only lines that name this run").TypeName("RUN");
  logs.AddOption("--level", wanted.level, "Only lines of this level or above")
      .OneOf({"debug", "info", "warn", "error"});
  logs.AddOption("--since", wanted.since, "Only lines since a time, or a duration ago: 10m")
      .TypeName("TIME");
  logs.AddOption("-n,--lines", wanted.lines, "Only this many lines, the last ones").NonNegative();
  SetAction(logs, [](const GlobalFlags& flags) { return Logs(flags, wanted); });
  logs.AddExample("tidemill logs --level warn --since 10m");
  logs.AddExample("tidemill logs storage --follow");
  logs.AddExample("tidemill logs --run 12 -n 50");
}

}  // namespace tidemill::cli

#include "cli/commands/report.h"

#include <cstdio>
#include <filesystem>

#include "nlohmann/json.hpp"

#include "base/output_file.h"
#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/run_directory/report.h"
#include "cli/run_directory/run_files.h"

namespace tidemill::cli {
namespace {

struct ReportFlags {
  int64_t run = 0;
  std::string into;
  std::string output;
};

ReportFlags& FlagsOfReport() {
  static ReportFlags flags;
  return flags;
}

// Tells where something was written.
int TellWhere(const GlobalFlags& flags, const char* what, const std::string& path) {
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{what, path}}).dump());
  } else {
    fmt::print("{}\n", path);
  }
  return kDone;
}

int Pull(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto folder = PullRun(session, FlagsOfReport().run, FlagsOfReport().into);
    if (!folder.ok()) return Report(folder.status());
    return TellWhere(flags, "folder", *folder);
  });
}

int WriteReport(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto record = FetchRecord(session, FlagsOfReport().run);
    if (!record.ok()) return Report(record.status());
    const std::string page = ReportPage(*record);
    if (FlagsOfReport().output == "-") {
      fwrite(page.data(), 1, page.size(), stdout);
      return kDone;
    }
    const std::string path = FlagsOfReport().output.empty()
                                 ? fmt::format("report-{}.html", FlagsOfReport().run)
                                 : FlagsOfReport().output;
    const absl::Status written = files::WriteOutput(path, page);
    if (!written.ok()) return Report(written);
    return TellWhere(flags, "report", path);
  });
}

}  // namespace

void AddReportCommands(Command& app) {
  Command& pull = app.AddSubcommand(
      "pull",
      "Write a run's directory: configuration, events, metrics, TensorBoard files and a report");
  pull.AddOption("run", FlagsOfReport().run, "Run id").Required().TypeName("RUN");
  pull.AddOption("--into", FlagsOfReport().into,
                 "Folder to write, new or of an earlier pull (default: "
                 "<state>/runs/<pipeline>/<run>)");
  SetAction(pull, Pull);
  Command& report = app.AddSubcommand(
      "report", "Write a run's report: one HTML file that opens without a network");
  report.AddOption("run", FlagsOfReport().run, "Run id").Required().TypeName("RUN");
  report.AddOption("-o,--output", FlagsOfReport().output,
                   "File to write, - for stdout (default: report-<run>.html)");
  SetAction(report, WriteReport);
}

}  // namespace tidemill::cli

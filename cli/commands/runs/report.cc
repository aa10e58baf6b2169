#include "cli/run_directory/report.h"

#include <cstdio>
#include <filesystem>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/paths/output_file.h"
#include "cli/command_line/action.h"
#include "cli/command_line/with_run.h"
#include "cli/commands/runs/commands.h"
#include "cli/run_directory/run_files.h"
#include "cli/sweep/sweep_report.h"
#include "cli/terminal/browser.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/view.h"
#include "config/documents/problems.h"

namespace tidemill::cli {
namespace {

struct ReportFlags {
  std::string run;
  std::string into;
  std::string output;
  std::string measure;
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
  return WithRun(flags, FlagsOfReport().run, [&](const Session& session, int64_t run) -> int {
    const auto folder = PullRun(session, run, FlagsOfReport().into);
    if (!folder.ok()) return Report(folder.status());
    return TellWhere(flags, "folder", *folder);
  });
}

// Writes a page to where the user asks, or to `report-<name>.html`.
int WritePage(const GlobalFlags& flags, const std::string& name, const std::string& page) {
  if (FlagsOfReport().output == "-") {
    fwrite(page.data(), 1, page.size(), stdout);
    return kDone;
  }
  const std::string path =
      FlagsOfReport().output.empty() ? fmt::format("report-{}.html", name) : FlagsOfReport().output;
  const absl::Status written = files::WriteOutput(path, page);
  if (!written.ok()) return Report(written);
  return TellWhere(flags, "report", path);
}

int WriteReportOfRun(const GlobalFlags& flags, const Session& session) {
  const auto run = FindRun(session, FlagsOfReport().run);
  if (!run.ok()) return Report(run.status());
  if (!FlagsOfReport().measure.empty()) {
    return ReportUsage("--measure is for the report of a sweep; that of a run has all measures");
  }
  const auto record = FetchRecord(session, run->value);
  if (!record.ok()) return Report(record.status());
  return WritePage(flags, std::to_string(run->value), ReportPage(*record));
}

// Whether a name may be that of a sweep: neither a number nor empty.
bool MayNameSweep(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") != std::string::npos;
}

int WriteReport(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const std::string& name = FlagsOfReport().run;
    if (MayNameSweep(name)) {
      const auto page = ReportOfSweep(session, name, FlagsOfReport().measure);
      if (!page.ok()) return Report(page.status());
      if (*page) return WritePage(flags, name, **page);
    }
    return WriteReportOfRun(flags, session);
  });
}

// Shows a page that was written. Without a browser the path is the result.
int ShowReport(const GlobalFlags& flags, const std::string& path) {
  const auto commands = BrowserCommands();
  if (!flags.json) TellWhere(flags, "report", path);
  std::fflush(stdout);
  if (commands.empty()) {
    if (!flags.quiet) {
      PrintToStderr("there is no display, and $BROWSER names no program: open the file yourself\n");
    }
    return flags.json ? TellWhere(flags, "report", path) : kDone;
  }
  const auto shown = ShowInBrowser(path, commands);
  if (!shown.ok()) {
    return Report(config::InFile(
        Annotate(shown.status(), fmt::format("the report is in {}, but is not shown", path)),
        path));
  }
  return flags.json ? TellWhere(flags, "report", path) : kDone;
}

int Open(const GlobalFlags& flags) {
  std::string path;
  const std::string& name = FlagsOfReport().run;
  const auto write = [&](const Session& session, int64_t run) -> int {
    const auto folder = PullRun(session, run, "");
    if (!folder.ok()) return Report(folder.status());
    path = std::filesystem::absolute(files::Join(*folder, "report.html")).string();
    return kDone;
  };
  const int code = WithRun(flags, name.empty() ? "latest" : name, write);
  // A browser may stay open for long: without a stack.
  return code == kDone ? ShowReport(flags, path) : code;
}

}  // namespace

void AddReportCommands(Command& app) {
  Command& pull = app.AddSubcommand(
      "pull",
      "Write a run's directory: configuration, events, metrics, TensorBoard files and a report");
  pull.AddOption("run", FlagsOfReport().run, kRunMeaning).Required().TypeName("RUN");
  pull.AddOption("--into", FlagsOfReport().into,
                 "Folder to write, new or of an earlier pull (default: "
                 "<state>/runs/<pipeline>/<run>)");
  SetAction(pull, Pull);
  pull.AddExample("tidemill pull 12");
  pull.AddExample("tidemill pull 12 --into results/run12");
  Command& report = app.AddSubcommand(
      "report", "Write the report of a run or a sweep: one HTML file that opens without a network");
  report
      .AddOption("run", FlagsOfReport().run,
                 fmt::format("{}; or a sweep, by the name that `tidemill sweep` says", kRunMeaning))
      .Required()
      .TypeName("RUN");
  report.AddOption("-o,--output", FlagsOfReport().output,
                   "File to write, - for stdout (default: report-<run>.html)");
  report
      .AddOption("--measure", FlagsOfReport().measure,
                 "Of a sweep: the measure to compare settings by (default: the first that has a "
                 "value)")
      .TypeName("NAME");
  SetAction(report, WriteReport);
  report.AddExample("tidemill report 12 --output report.html");
  report.AddExample("tidemill report elec2-1a2b3c4d");
  Command& open = app.AddSubcommand(
      "open", "Write a run's directory, and show its report in a browser ($BROWSER or xdg-open)");
  open.AddOption("run", FlagsOfReport().run, "A run (default: latest)").TypeName("RUN");
  SetAction(open, Open);
  open.AddExample("tidemill open");
  open.AddExample("tidemill open 12");
}

}  // namespace tidemill::cli

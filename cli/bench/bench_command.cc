#include "cli/bench/bench_command.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/time.h"
#include "cli/bench/bench_case.h"
#include "cli/bench/bench_report.h"
#include "cli/bench/case_runner.h"
#include "cli/bench/machine.h"
#include "cli/bench/suite.h"
#include "cli/bench/suite_run.h"
#include "cli/bench/work_folder.h"
#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct BenchFlags {
  std::string suite = "benchmarks/suite";
  std::string results;
  std::string work;
  std::vector<std::string> names;
  std::vector<std::string> parts;
  std::vector<std::string> policies;
  int seeds = 3;
  std::string budget;
  bool smoke = false;
  bool quick = false;
};

// Prepared data and trials can be made again.
std::string WorkFolder(const BenchFlags& flags) {
  if (!flags.work.empty()) return flags.work;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return files::Join(cache, "tidemill/bench");
  }
  const char* home = std::getenv("HOME");
  return files::Join(home != nullptr ? home : "/tmp", ".cache/tidemill/bench");
}

// A trial is not a result to keep beside others.
std::string ResultsFolder(const BenchFlags& flags) {
  if (!flags.results.empty()) return flags.results;
  if (flags.smoke || flags.quick) {
    return files::Join(WorkFolder(flags), flags.smoke ? "smoke" : "quick");
  }
  const fs::path suite = fs::absolute(flags.suite).lexically_normal();
  const fs::path folder = suite.has_filename() ? suite : suite.parent_path();
  return folder.parent_path() / "results" / folder.filename();
}

// Only a flag names a stack: the environment names the one that its user works with.
BenchStack WhoseStack(const GlobalFlags& global) {
  const bool is_named = !global.state.empty() || !global.config.empty() || !global.server.empty();
  return is_named ? BenchStack::kUsers : BenchStack::kOwn;
}

// The suite's own stack, on which no dataset of its user has the name of one of the suite's, unless
// its user names one.
StackAddress SuiteStack(const GlobalFlags& global, const BenchFlags& flags) {
  StackAddress address = global;
  if (WhoseStack(global) == BenchStack::kOwn) {
    address.state = files::Join(WorkFolder(flags), "stack");
  }
  return address;
}

absl::StatusOr<std::vector<SuiteEntry>> EntriesOf(const BenchFlags& flags) {
  ASSIGN_OR_RETURN(const std::vector<SuiteEntry> suite, ReadSuite(flags.suite));
  return ChooseEntries(suite, flags.names);
}

int List(const GlobalFlags& global, const BenchFlags& flags) {
  const auto entries = EntriesOf(flags);
  if (!entries.ok()) return Report(entries.status());
  Table table({"DOMAIN", "ENTRY", "RUNS", "SWEEP", "DATA", "DESCRIPTION"});
  ordered_json json = ordered_json::array();
  for (const SuiteEntry& entry : *entries) {
    const absl::Status data = CheckData(entry);
    const std::string state = data.ok() ? "there" : absl::IsNotFound(data) ? "missing" : "differs";
    table.Add(
        {entry.spec.domain, entry.spec.name, fmt::format("{}", entry.spec.runs.size()),
         entry.spec.sweep ? fmt::format("{} policies", entry.spec.sweep->policies.size()) : "-",
         state, entry.spec.description});
    json.push_back({{"domain", entry.spec.domain},
                    {"entry", entry.spec.name},
                    {"description", entry.spec.description},
                    {"runs", entry.spec.runs.size()},
                    {"checks", entry.spec.checks.size()},
                    {"policies", entry.spec.sweep ? entry.spec.sweep->policies.size() : 0},
                    {"data", state}});
  }
  fmt::print("{}", global.json ? json.dump() + "\n" : table.ToString());
  return kDone;
}

int Fetch(const GlobalFlags& global, const BenchFlags& flags) {
  const auto entries = EntriesOf(flags);
  if (!entries.ok()) return Report(entries.status());
  int code = kDone;
  ordered_json json = ordered_json::array();
  for (const SuiteEntry& entry : *entries) {
    const absl::Status status = FetchData(entry);
    json.push_back({{"entry", entry.spec.name}, {"there", status.ok()}});
    if (!status.ok()) json.back()["problem"] = std::string(status.message());
    if (global.json) {
      if (!status.ok()) code = kPartial;
    } else if (status.ok()) {
      fmt::print("{}: its data is there\n", entry.spec.name);
    } else {
      code = Report(Annotate(status, entry.spec.name));
    }
  }
  if (global.json) fmt::print("{}\n", json.dump());
  return code;
}

// Leaves out the entries without their data, and says so.
std::vector<SuiteEntry> WithData(const std::vector<SuiteEntry>& entries,
                                 std::vector<std::string>& left_out) {
  std::vector<SuiteEntry> kept;
  for (const SuiteEntry& entry : entries) {
    const absl::Status data = CheckData(entry);
    if (data.ok()) {
      kept.push_back(entry);
    } else {
      left_out.push_back(fmt::format("{}: {}", entry.spec.name, std::string(data.message())));
    }
  }
  return kept;
}

struct SuitePlan {
  std::vector<SuiteEntry> entries;  // The cases point into them.
  BudgetedPlan budgeted;
  std::vector<std::string> without_data;
};

absl::StatusOr<std::optional<double>> BudgetOf(const std::string& text) {
  if (text.empty()) return std::nullopt;
  auto length = ParseDuration(text);
  if (!length.ok()) return Annotate(length.status(), "--budget");
  if (length->micros <= 0) return InvalidArgument("--budget: must be positive, such as 90m");
  return static_cast<double>(length->micros) * 1e-6;
}

absl::Status Plan(const BenchFlags& flags, SuitePlan& plan) {
  ASSIGN_OR_RETURN(const std::optional<double> budget, BudgetOf(flags.budget));
  ASSIGN_OR_RETURN(const std::vector<SuiteEntry> entries, EntriesOf(flags));
  if (flags.smoke) {
    for (const SuiteEntry& entry : entries) {
      if (entry.spec.smoke) plan.entries.push_back(entry);
    }
  } else {
    plan.entries = WithData(entries, plan.without_data);
  }
  ASSIGN_OR_RETURN(std::vector<BenchCase> cases,
                   PlanCases(plan.entries, {.num_seeds = flags.seeds,
                                            .parts = flags.parts,
                                            .policies = flags.policies,
                                            .smoke = flags.smoke,
                                            .quick = flags.quick}));
  plan.budgeted = FitInto(std::move(cases), budget);
  if (!plan.budgeted.cases.empty()) return absl::OkStatus();
  if (!plan.without_data.empty()) return NotFound("{}", plan.without_data.front());
  return FailedPrecondition("nothing is measured: no case fits into the budget");
}

void SayPlan(const SuitePlan& plan) {
  for (const std::string& entry : plan.without_data) {
    PrintToStderr(fmt::format("left out, no data: {}\n", Printable(entry)));
  }
  for (const BenchCase& one : plan.budgeted.left_out) {
    PrintToStderr(fmt::format("left out, over the budget: {} {} (about {})\n", one.entry->spec.name,
                              OneLine(one.name), Elapsed(one.seconds)));
  }
  if (plan.budgeted.fewer_prices)
    PrintToStderr("sweeps have every other price, to fit the budget\n");
}

ordered_json OutcomeToJson(const SuitePlan& plan, const SuiteOutcome& outcome) {
  ordered_json over = ordered_json::array();
  for (const BenchCase& one : plan.budgeted.left_out) {
    over.push_back(one.entry->spec.name + " " + one.name);
  }
  return {{"measured", outcome.num_measured},
          {"kept", outcome.num_kept},
          {"failed", outcome.failed},
          {"over_budget", over},
          {"fewer_prices", plan.budgeted.fewer_prices},
          {"without_data", plan.without_data}};
}

// Prints the reports, and returns whether every check holds.
absl::StatusOr<bool> TellReports(const std::vector<SuiteEntry>& entries, SuiteResults& results,
                                 ordered_json* json) {
  bool holds = true;
  for (const SuiteEntry& entry : entries) {
    ASSIGN_OR_RETURN(const ResultsFile* file, results.Of(entry.spec.name));
    if (file->results().empty()) continue;
    const EntryReport report = ReportOf(entry, *file);
    holds = holds && AllHold(report);
    if (json != nullptr) {
      json->push_back(ReportToJson(report));
    } else {
      fmt::print("{}\n", DescribeReport(report));
    }
  }
  return holds;
}

int CodeOf(const SuitePlan& plan, const SuiteOutcome& outcome, bool holds) {
  if (!holds) return kFailed;
  return outcome.failed.empty() && plan.without_data.empty() ? kDone : kPartial;
}

int RunOn(const GlobalFlags& global, const BenchFlags& flags, const SuitePlan& plan,
          const Session& session) {
  auto results = SuiteResults::Open(ResultsFolder(flags));
  if (!results.ok()) return Report(results.status());
  const CaseRunner runner(session, WhoseStack(global), WorkFolder(flags));
  const ordered_json machine = DescribeMachine(flags.suite);
  const auto outcome = RunSuite(plan.budgeted, runner, machine, *results, global.quiet);
  if (!outcome.ok()) {
    const int code = Report(outcome.status());
    PrintToStderr("what was measured is kept; the same command continues\n");
    return absl::IsCancelled(outcome.status()) ? kInterrupted : code;
  }
  ordered_json entries = ordered_json::array();
  const auto holds = TellReports(plan.entries, *results, global.json ? &entries : nullptr);
  if (!holds.ok()) return Report(holds.status());
  if (global.json) {
    const ordered_json all = {{"machine", machine},
                              {"cases", OutcomeToJson(plan, *outcome)},
                              {"holds", *holds},
                              {"entries", entries}};
    fmt::print("{}\n", all.dump());
  } else {
    fmt::print("{} cases measured, {} kept from before, {} failed, {} left out\n",
               outcome->num_measured, outcome->num_kept, outcome->failed.size(),
               plan.budgeted.left_out.size());
  }
  return CodeOf(plan, *outcome, *holds);
}

int Run(const GlobalFlags& global, const BenchFlags& flags) {
  SuitePlan plan;
  if (const absl::Status planned = Plan(flags, plan); !planned.ok()) return Report(planned);
  if (!global.quiet) SayPlan(plan);
  const auto session =
      Session::AttachOrStart(SuiteStack(global, flags), StartStackOf::kAnything, global.quiet);
  if (!session.ok()) return Report(session.status());
  const int code = RunOn(global, flags, plan, *session);
  LeaveStack(*session, global.quiet);
  return code;
}

int TellReport(const GlobalFlags& global, const BenchFlags& flags) {
  const auto entries = EntriesOf(flags);
  if (!entries.ok()) return Report(entries.status());
  auto results = SuiteResults::Read(ResultsFolder(flags));
  if (!results.ok()) return Report(results.status());
  ordered_json json = ordered_json::array();
  const auto holds = TellReports(*entries, *results, global.json ? &json : nullptr);
  if (!holds.ok()) return Report(holds.status());
  if (global.json) fmt::print("{}\n", ordered_json{{"holds", *holds}, {"entries", json}}.dump());
  return *holds ? kDone : kFailed;
}

void AddSuiteFlags(Command& command, BenchFlags& flags) {
  command.AddOption("names", flags.names, "Entries, domains, or DOMAIN/ENTRY (default: all)")
      .TypeName("NAME");
  command.AddOption("--suite", flags.suite, "The suite's folder (default: benchmarks/suite)")
      .TypeName("FOLDER");
}

void AddResultsFlag(Command& command, BenchFlags& flags) {
  command
      .AddOption("--results", flags.results,
                 "The folder of results (default: results/SUITE beside the suite's folder)")
      .TypeName("FOLDER");
}

void AddRunFlags(Command& run, BenchFlags& flags) {
  AddSuiteFlags(run, flags);
  AddResultsFlag(run, flags);
  run.AddOption(
         "--work", flags.work,
         "The folder of prepared data, and of the suite's own stack, which is used unless --state, "
         "--config or --server names another one (default: tidemill/bench in the user's cache)")
      .TypeName("FOLDER");
  run.AddOption("--parts", flags.parts,
                "Only these parts of entries: runs, sweep, or names of comparisons (default: all)")
      .TypeName("PART");
  run.AddOption("--policies", flags.policies,
                "Only these variants, or rows, of comparisons (default: all, and the other parts)")
      .TypeName("POLICY");
  run.AddOption("--seeds", flags.seeds, "Seeds of sweeps and comparisons (default: 3)")
      .Between(1, 100);
  run.AddOption("--budget", flags.budget,
                "Measure only what fits into this time, such as 90m: further seeds are left out "
                "first, then prices of sweeps, then cases")
      .TypeName("DURATION");
  run.AddFlag("--smoke", flags.smoke, "Only the short runs, which need no data from outside");
  run.AddFlag("--quick", flags.quick,
              "Only a trial of comparisons: one seed, the first column, few triggers; its results "
              "are kept in the folder of prepared data");
}

}  // namespace

void AddBenchCommands(Command& app) {
  static BenchFlags flags;
  Command& bench = app.AddSubcommand(
      "bench",
      "Measure pipelines and policies on the benchmark suite, and hold them to its checks");
  bench.RequireSubcommand();
  Command& list = bench.AddSubcommand("list", "List the entries of the suite, and their data");
  AddSuiteFlags(list, flags);
  SetAction(list, [](const GlobalFlags& global) { return List(global, flags); });
  list.AddExample("tidemill bench list");
  Command& fetch = bench.AddSubcommand(
      "fetch", "Load the data of entries into TIDEMILL_DATA, and compare its bytes");
  AddSuiteFlags(fetch, flags);
  SetAction(fetch, [](const GlobalFlags& global) { return Fetch(global, flags); });
  fetch.AddExample("tidemill bench fetch recsys/criteo_like");
  Command& run = bench.AddSubcommand(
      "run", "Measure entries; what was measured before is kept, and a run that was cut continues");
  AddRunFlags(run, flags);
  SetAction(run, [](const GlobalFlags& global) { return Run(global, flags); });
  run.AddExample("tidemill bench run --budget 90m");
  Command& report = bench.AddSubcommand("report", "Show what was measured");
  AddSuiteFlags(report, flags);
  AddResultsFlag(report, flags);
  SetAction(report, [](const GlobalFlags& global) { return TellReport(global, flags); });
  report.AddExample("tidemill bench report");
}

}  // namespace tidemill::cli

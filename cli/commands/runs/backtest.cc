#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/paths/output_file.h"
#include "cli/command_line/action.h"
#include "cli/command_line/names.h"
#include "cli/command_line/set_flag.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/runs/commands.h"
#include "cli/plugins/policy_file.h"
#include "cli/run_directory/backtest_report.h"
#include "cli/stack/sync_note.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/time_flag.h"
#include "config/config.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

struct BacktestFlags {
  std::string pipeline;
  std::vector<std::string> policies;
  std::vector<std::string> set;
  std::string from;
  std::string to;
  std::string run;
  std::string measure;
  bool models = false;
  int shuffles = 0;
  std::string report;
};

// Returns the keys below the policy: "samples" for `--set trigger.samples=500`.
absl::StatusOr<std::vector<config::Override>> PolicyOverrides(const BacktestFlags& flags) {
  constexpr std::string_view kSection = "trigger.";
  std::vector<config::Override> overrides = OverridesOf(flags.set);
  for (config::Override& set : overrides) {
    if (!set.path.starts_with(kSection)) {
      return InvalidArgument(
          "--set {}: a backtest tries trigger policies; write a key of theirs, such as "
          "trigger.samples",
          set.path);
    }
    set.path.erase(0, kSection.size());
  }
  return overrides;
}

// The pipeline's own policy with other values.
absl::Status AddOwnPolicyWith(const Session& session, const BacktestFlags& flags,
                              const std::vector<config::Override>& overrides,
                              supervisor::v1::WatchBacktestRequest& request) {
  ASSIGN_OR_RETURN(const auto pipeline,
                   session.Ask(&supervisor::SupervisorClient::GetPipeline, flags.pipeline));
  ASSIGN_OR_RETURN(const auto spec,
                   config::ReadKept<supervisor::PipelineSpec>(pipeline.spec(), flags.pipeline));
  auto& policy = *request.add_policies();
  policy.set_name(fmt::format("{}", fmt::join(flags.set, " ")));
  ASSIGN_OR_RETURN(*policy.mutable_text(), PolicyWith(spec.trigger, overrides));
  return absl::OkStatus();
}

absl::StatusOr<supervisor::v1::WatchBacktestRequest> BacktestRequestOf(const Session& session,
                                                                       const BacktestFlags& flags) {
  supervisor::v1::WatchBacktestRequest request;
  request.set_pipeline_name(flags.pipeline);
  ASSIGN_OR_RETURN(const auto overrides, PolicyOverrides(flags));
  for (const std::string& path : flags.policies) {
    auto& policy = *request.add_policies();
    policy.set_name(std::filesystem::path(path).stem().string());
    ASSIGN_OR_RETURN(*policy.mutable_text(), PolicyText(path, overrides));
  }
  if (flags.policies.empty() && !overrides.empty()) {
    RETURN_IF_ERROR(AddOwnPolicyWith(session, flags, overrides, request));
  }
  ASSIGN_OR_RETURN(const auto from, TimeOf("--from", flags.from));
  if (from) request.set_from(from->micros);
  ASSIGN_OR_RETURN(const auto to, TimeOf("--to", flags.to));
  if (to) request.set_to(to->micros);
  if (!flags.run.empty()) {
    ASSIGN_OR_RETURN(const RunId run, FindRun(session, flags.run));
    request.set_run_id(run.value);
  }
  request.set_measure(flags.measure);
  request.set_asks_models(flags.models);
  request.set_num_shuffles(flags.shuffles);
  return request;
}

absl::StatusOr<BacktestFinal> FetchBacktest(const Session& session,
                                            const supervisor::v1::WatchBacktestRequest& request,
                                            bool paint) {
  const auto show = [&](const supervisor::v1::WatchBacktestResponse::Progress& progress) {
    if (!paint) return;
    if (progress.num_awaited() > 0) {
      fmt::print(stderr, "\r\033[K{}", SyncNote::Text(progress.num_awaited()));
      return;
    }
    fmt::print(stderr, "\r{} of {} samples", WithThousands(progress.num_samples()),
               WithThousands(progress.num_samples_total()));
  };
  auto final = session.Follow(&supervisor::SupervisorClient::WatchBacktest, request, show);
  if (paint) fmt::print(stderr, "\r\033[K");
  return final;
}

void TellResult(const BacktestFlags& flags, const BacktestFinal& final) {
  fmt::print("{}", DescribeBacktest(final));
  if (flags.shuffles > 0 && final.num_shuffles() == 0) {
    fmt::print("No policy looks at samples, so shuffling them would change nothing.\n");
  }
  if (!flags.report.empty()) fmt::print("{}\n", flags.report);
}

int Backtest(const GlobalFlags& global, const BacktestFlags& flags) {
  return WithSession(global, [&](const Session& session) -> int {
    const auto request = BacktestRequestOf(session, flags);
    if (!request.ok()) return Report(request.status());
    const auto final = FetchBacktest(session, *request, !global.quiet && IsTerminal(STDERR_FILENO));
    if (!final.ok()) return Report(final.status());
    if (!flags.report.empty()) {
      const absl::Status written =
          files::WriteOutput(flags.report, BacktestPage(flags.pipeline, *final));
      if (!written.ok()) return Report(written);
    }
    const bool any_failed = std::ranges::any_of(
        final->results(), [](const auto& result) { return result.num_faults() > 0; });
    const bool is_partial = any_failed || final->not_taken().num_files() > 0;
    const int code = is_partial ? kPartial : kDone;
    if (!global.json) {
      TellResult(flags, *final);
      return code;
    }
    nlohmann::ordered_json json = BacktestToJson(*final);
    if (!flags.report.empty()) json["report"] = flags.report;
    fmt::print("{}\n", json.dump());
    return code;
  });
}

}  // namespace

void AddBacktestCommand(Command& app) {
  Command& backtest = app.AddSubcommand(
      "backtest", "Try trigger policies on the history of a pipeline's dataset, without training");
  static BacktestFlags flags;
  backtest.AddOption("pipeline", flags.pipeline, "Name of a pipeline that was submitted")
      .Required()
      .TypeName("PIPELINE");
  backtest
      .AddOption("--policy", flags.policies,
                 "A file with a trigger policy, written as under `trigger`; may be repeated "
                 "(default: only the pipeline's own policy, which is always tried)")
      .TypeName("FILE");
  AddSetFlag(backtest, flags.set,
             "Replace a value of the policies in --policy files, such as trigger.samples=500; "
             "without --policy, the pipeline's own policy with this value is tried beside it; may "
             "be given several times");
  backtest.AddOption("--from", flags.from, "Begin at this event time").TypeName("TIME");
  backtest.AddOption("--to", flags.to, "End before this event time").TypeName("TIME");
  backtest
      .AddOption(
          "--run", flags.run,
          "The run whose evaluations say how good the models were; it may be of any pipeline on "
          "the dataset (default: the last run of this pipeline that has evaluations)")
      .TypeName("RUN");
  backtest
      .AddOption("--measure", flags.measure,
                 "The measure of that run to show, such as accuracy, or 'accuracy on elec2' "
                 "(default: the first one on the dataset that is trained on)")
      .TypeName("MEASURE");
  backtest.AddFlag("--models", flags.models,
                   "Let policies use the models of that run, so that policies that need mistakes, "
                   "predictions or embeddings can be tried, too. At any time, a policy uses the "
                   "model of the run's newest trigger at or before its own. The run must train "
                   "fresh models (`warm_start: false`) and keep all of them");
  backtest
      .AddOption("--shuffles", flags.shuffles,
                 "Count the false alarms of policies that look at samples, on this many histories "
                 "of shuffled samples (default: none)")
      .Between(0, 1000);
  backtest.AddOption("--report", flags.report, "Write the results as one HTML file, too")
      .TypeName("FILE");
  SetAction(backtest, [](const GlobalFlags& global) { return Backtest(global, flags); });
  backtest.AddExample("tidemill backtest elec2 --policy weekly.yaml --policy drift.yaml");
  backtest.AddExample("tidemill backtest elec2 --set trigger.samples=500");
  backtest.AddExample(
      "tidemill backtest elec2 --policy errors.yaml --models --report backtest.html");
}

}  // namespace tidemill::cli

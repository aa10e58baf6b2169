#include "cli/commands/backtest.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/output_file.h"
#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/run_directory/backtest_report.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/time_flag.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

struct BacktestFlags {
  std::string pipeline;
  std::vector<std::string> policies;
  std::string from;
  std::string to;
  int64_t run = 0;
  std::string measure;
  bool models = false;
  int shuffles = 0;
  std::string report;
};

absl::StatusOr<supervisor::v1::WatchBacktestRequest> BacktestRequestOf(const BacktestFlags& flags) {
  supervisor::v1::WatchBacktestRequest request;
  request.set_pipeline_name(flags.pipeline);
  for (const std::string& path : flags.policies) {
    auto& policy = *request.add_policies();
    policy.set_name(std::filesystem::path(path).stem().string());
    ASSIGN_OR_RETURN(*policy.mutable_text(), files::Read(path, kMaxBytes));
  }
  ASSIGN_OR_RETURN(const auto from, TimeOf("--from", flags.from));
  if (from) request.set_from(from->micros);
  ASSIGN_OR_RETURN(const auto to, TimeOf("--to", flags.to));
  if (to) request.set_to(to->micros);
  request.set_run_id(flags.run);
  request.set_measure(flags.measure);
  request.set_asks_models(flags.models);
  request.set_num_shuffles(flags.shuffles);
  return request;
}

absl::StatusOr<BacktestFinal> FetchBacktest(const Session& session,
                                            const supervisor::v1::WatchBacktestRequest& request,
                                            bool paint) {
  BacktestFinal final;
  const absl::Status status =
      session.Stream<supervisor::v1::SupervisorService, supervisor::v1::WatchBacktestResponse>(
          "supervisor", &supervisor::v1::SupervisorService::Stub::WatchBacktest, request,
          [&](const supervisor::v1::WatchBacktestResponse& response) {
            if (response.has_final()) final = response.final();
            if (!response.has_progress() || !paint) return;
            fmt::print(stderr, "\r{} of {} samples",
                       WithThousands(response.progress().num_samples()),
                       WithThousands(response.progress().num_samples_total()));
          });
  if (paint) fmt::print(stderr, "\r\033[K");
  RETURN_IF_ERROR(status);
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
  return WithSession(
      global, BacktestRequestOf(flags), [&](const Session& session, const auto& request) -> int {
        const auto final =
            FetchBacktest(session, request, !global.quiet && IsTerminal(STDERR_FILENO));
        if (!final.ok()) return Report(final.status());
        if (!flags.report.empty()) {
          const absl::Status written =
              files::WriteOutput(flags.report, BacktestPage(flags.pipeline, *final));
          if (!written.ok()) return Report(written);
        }
        if (!global.json) {
          TellResult(flags, *final);
          return kDone;
        }
        nlohmann::ordered_json json = BacktestToJson(*final);
        if (!flags.report.empty()) json["report"] = flags.report;
        fmt::print("{}\n", json.dump());
        return kDone;
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
                   "Let policies ask the models of that run, so that those that look at mistakes, "
                   "predictions or embeddings can be tried, too. At any time it is the model of "
                   "the run's newest trigger at or before the policy's own. The run must train "
                   "fresh models (`warm_start: false`) and keep all of them");
  backtest
      .AddOption("--shuffles", flags.shuffles,
                 "Count the false alarms of policies that look at samples, on this many histories "
                 "of shuffled samples (default: none)")
      .Between(0, 1000);
  backtest.AddOption("--report", flags.report, "Write the results as one HTML file, too")
      .TypeName("FILE");
  SetAction(backtest, [](const GlobalFlags& global) { return Backtest(global, flags); });
}

}  // namespace tidemill::cli

// tidemill backtest PIPELINE
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/time.h"
#include "cli/command_line.h"
#include "cli/exit_codes.h"
#include "cli/text.h"
#include "cli/with_session.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

constexpr size_t kMaxBytes = size_t{1} << 20;

struct BacktestFlags {
  std::string pipeline;
  std::vector<std::string> policies;
  std::string from;
  std::string to;
};

absl::StatusOr<v1::WatchBacktestRequest> RequestOf(const BacktestFlags& flags) {
  v1::WatchBacktestRequest request;
  request.set_pipeline_name(flags.pipeline);
  for (const std::string& path : flags.policies) {
    auto& policy = *request.add_policies();
    policy.set_name(std::filesystem::path(path).stem().string());
    ASSIGN_OR_RETURN(*policy.mutable_text(), files::Read(path, kMaxBytes));
  }
  if (!flags.from.empty()) {
    ASSIGN_OR_RETURN(const Timestamp from, ParseTimestamp(flags.from));
    request.set_from(from.micros);
  }
  if (!flags.to.empty()) {
    ASSIGN_OR_RETURN(const Timestamp to, ParseTimestamp(flags.to));
    request.set_to(to.micros);
  }
  return request;
}

std::string Describe(const v1::WatchBacktestResponse::Final& final) {
  Table table({"POLICY", "TRIGGERS", "SAMPLES", "TRAINING", "MEAN DELAY", "LONGEST", "LEFT OVER"});
  for (const v1::BacktestResult& result : final.results()) {
    const auto seconds = [](bool known, double value) { return known ? Elapsed(value) : "-"; };
    table.Add({Printable(result.name()), WithThousands(result.num_triggers()),
               WithThousands(result.num_selected()),
               seconds(result.has_training_seconds(), result.training_seconds()),
               seconds(result.has_mean_latency_seconds(), result.mean_latency_seconds()),
               seconds(result.has_longest_latency_seconds(), result.longest_latency_seconds()),
               WithThousands(result.num_leftover())});
  }
  std::string text = table.ToString();
  text += fmt::format("\n{} samples of history; nothing was trained.\n",
                      WithThousands(final.num_samples()));
  if (final.num_trainings() == 0) {
    return text +
           "No training of this pipeline has completed: there is nothing to forecast from.\n";
  }
  return text +
         fmt::format(
             "Training is forecast from {} completed trainings: {:.3g} s and {:.3g} s for each "
             "1,000 samples.\n",
             WithThousands(final.num_trainings()), final.base_seconds(),
             1000 * final.seconds_per_sample());
}

template <typename Value>
ordered_json Known(bool known, const Value& value) {
  return known ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json ToJson(const v1::BacktestResult& result) {
  ordered_json triggers = ordered_json::array();
  for (const auto& trigger : result.triggers()) {
    triggers.push_back({{"at", FormatTimestamp({trigger.at().event_time()})},
                        {"key", trigger.at().sample_key()},
                        {"new_samples", trigger.num_new()},
                        {"samples", trigger.num_selected()}});
  }
  return {{"name", result.name()},
          {"policy", result.policy()},
          {"num_triggers", result.num_triggers()},
          {"num_decisions", result.num_decisions()},
          {"samples", result.num_selected()},
          {"leftover", result.num_leftover()},
          {"training_seconds", Known(result.has_training_seconds(), result.training_seconds())},
          {"mean_delay_seconds",
           Known(result.has_mean_latency_seconds(), result.mean_latency_seconds())},
          {"longest_delay_seconds",
           Known(result.has_longest_latency_seconds(), result.longest_latency_seconds())},
          {"triggers", std::move(triggers)}};
}

ordered_json ToJson(const v1::WatchBacktestResponse::Final& final) {
  ordered_json results = ordered_json::array();
  for (const v1::BacktestResult& result : final.results()) results.push_back(ToJson(result));
  return {{"samples", final.num_samples()},
          {"forecast",
           {{"trainings", final.num_trainings()},
            {"base_seconds", final.base_seconds()},
            {"seconds_per_sample", final.seconds_per_sample()}}},
          {"results", std::move(results)}};
}

int Backtest(const GlobalFlags& flags, const BacktestFlags& backtest) {
  const auto request = RequestOf(backtest);
  if (!request.ok()) return Report(request.status());
  return WithSession(flags, [&](const Session& session) -> int {
    const bool paint = !flags.quiet && IsTerminal(STDERR_FILENO);
    v1::WatchBacktestResponse::Final final;
    const absl::Status status = session.Stream<v1::SupervisorService, v1::WatchBacktestResponse>(
        "supervisor", &v1::SupervisorService::Stub::WatchBacktest, *request,
        [&](const v1::WatchBacktestResponse& response) {
          if (response.has_final()) final = response.final();
          if (!response.has_progress() || !paint) return;
          fmt::print(stderr, "\r{} of {} samples", WithThousands(response.progress().num_samples()),
                     WithThousands(response.progress().num_samples_total()));
        });
    if (paint) fmt::print(stderr, "\r\033[K");
    if (!status.ok()) return Report(status);
    fmt::print("{}", flags.json ? ToJson(final).dump() + "\n" : Describe(final));
    return kDone;
  });
}

}  // namespace

void AddBacktestCommand(CLI::App& app) {
  CLI::App* backtest = app.add_subcommand(
      "backtest", "Try trigger policies on the history of a pipeline's dataset, without training");
  static BacktestFlags flags;
  backtest->add_option("pipeline", flags.pipeline, "Name of a pipeline that was submitted")
      ->required()
      ->type_name("PIPELINE");
  backtest
      ->add_option("--policy", flags.policies,
                   "A file with a policy as it would stand under `trigger`; may be repeated "
                   "(default: the pipeline's own)")
      ->type_name("FILE");
  backtest->add_option("--from", flags.from, "Begin at this event time")->type_name("TIME");
  backtest->add_option("--to", flags.to, "End before this event time")->type_name("TIME");
  SetAction(*backtest, [](const GlobalFlags& global) { return Backtest(global, flags); });
}

}  // namespace tidemill::cli

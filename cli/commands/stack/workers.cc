#include <cstdio>
#include <string>

#include "google/protobuf/util/time_util.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/stack/commands.h"
#include "cli/terminal/text.h"
#include "cli/views/engine_text.h"
#include "preprocess/client/dispatcher_client.h"
#include "preprocess/client/scaling_client.h"

namespace tidemill::cli {
namespace {

using google::protobuf::util::TimeUtil;
using Json = nlohmann::ordered_json;

struct WorkersFlags {
  int decisions = 5;
};

const char* WorkerStateOf(const preprocess::v1::Worker& worker) {
  switch (worker.state()) {
    case preprocess::v1::WORKER_STATE_ALIVE:
      return "alive";
    case preprocess::v1::WORKER_STATE_DRAINING:
      return "draining";
    default:
      return "lost";
  }
}

std::string TimeOf(const preprocess::v1::ScalingDecision& decision) {
  return FormatTimestamp({TimeUtil::TimestampToMicroseconds(decision.at())});
}

// "40.0 batches/s * 50.1 ms: 2.0 threads".
std::string NeedsOf(const preprocess::v1::ScalingDecision& decision) {
  constexpr double kMillis = 1e3;
  std::string text;
  for (const preprocess::v1::JobNeed& job : decision.jobs()) {
    text +=
        fmt::format("{}job {}: {:.1f} batches/s, {:.1f} ms each, {:.2f} threads; waits {:.0f} %",
                    text.empty() ? "" : "; ", job.job_id(), job.batches_per_second(),
                    kMillis * job.seconds_per_batch(), job.threads(), 100 * job.wait_share());
  }
  return text.empty() ? "-" : text;
}

std::string DescribeWorkers(const preprocess::v1::ListWorkersResponse& workers,
                            const preprocess::v1::GetScalingResponse& scaling) {
  Table table({"NAME", "STATE", "THREADS", "LEASES", "BATCHES", "STARTED AS", "ENDPOINT"});
  for (const preprocess::v1::Worker& worker : workers.workers()) {
    table.Add({OneLine(worker.name()), WorkerStateOf(worker), std::to_string(worker.num_threads()),
               std::to_string(worker.num_leased()), std::to_string(worker.num_batches()),
               worker.started_as().empty() ? "-" : OneLine(worker.started_as()),
               OneLine(worker.endpoint())});
  }
  std::string text = table.ToString();
  if (!scaling.scales()) return text;
  text += scaling.has_engine() ? "\n" + DescribeEngine(scaling.engine(), Now().micros)
                               : fmt::format("\n{} workers are wanted\n", scaling.wanted());
  if (scaling.decisions().empty()) return text;
  Table decisions({"TIME", "WORKERS", "BECAUSE", "NEEDS"});
  for (const preprocess::v1::ScalingDecision& decision : scaling.decisions()) {
    decisions.Add({TimeOf(decision), fmt::format("{} to {}", decision.before(), decision.wanted()),
                   OneLine(decision.reason()), NeedsOf(decision)});
  }
  return text + "\n" + decisions.ToString();
}

Json DecisionToJson(const preprocess::v1::ScalingDecision& decision) {
  Json json = {{"at", TimeOf(decision)},
               {"before", decision.before()},
               {"wanted", decision.wanted()},
               {"reason", decision.reason()},
               {"threads_per_worker", decision.threads_per_worker()},
               {"jobs", Json::array()}};
  for (const preprocess::v1::JobNeed& job : decision.jobs()) {
    json["jobs"].push_back({{"job", job.job_id()},
                            {"name", job.name()},
                            {"batches_per_second", job.batches_per_second()},
                            {"seconds_per_batch", job.seconds_per_batch()},
                            {"wait_share", job.wait_share()},
                            {"threads", job.threads()}});
  }
  return json;
}

Json WorkersToJson(const preprocess::v1::ListWorkersResponse& workers,
                   const preprocess::v1::GetScalingResponse& scaling) {
  Json json = {{"workers", Json::array()}, {"scaling", nullptr}};
  for (const preprocess::v1::Worker& worker : workers.workers()) {
    json["workers"].push_back({{"name", worker.name()},
                               {"state", WorkerStateOf(worker)},
                               {"why", worker.lost_because()},
                               {"threads", worker.num_threads()},
                               {"leases", worker.num_leased()},
                               {"batches", worker.num_batches()},
                               {"started_as", worker.started_as()},
                               {"endpoint", worker.endpoint()}});
  }
  if (!scaling.scales()) return json;
  json["scaling"] = {{"wanted", scaling.wanted()},
                     {"engine", scaling.has_engine() ? EngineToJson(scaling.engine()) : Json()},
                     {"decisions", Json::array()}};
  for (const preprocess::v1::ScalingDecision& decision : scaling.decisions()) {
    json["scaling"]["decisions"].push_back(DecisionToJson(decision));
  }
  return json;
}

int ListWorkersOf(const GlobalFlags& flags, const WorkersFlags& wanted) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto workers = session.Ask(&preprocess::DispatcherClient::ListWorkers);
    if (!workers.ok()) return Report(workers.status());
    const auto scaling = session.Ask(&preprocess::ScalingClient::Get, wanted.decisions);
    if (!scaling.ok()) return Report(scaling.status());
    fmt::print("{}", flags.json ? WorkersToJson(*workers, *scaling).dump() + "\n"
                                : DescribeWorkers(*workers, *scaling));
    return kDone;
  });
}

}  // namespace

void AddWorkersCommands(Command& app) {
  Command& workers = app.AddSubcommand("workers", "Preprocessing workers");
  workers.RequireSubcommand();
  Command& list =
      workers.AddSubcommand("list", "Show the preprocessing workers, how many are wanted, and why");
  static WorkersFlags flags;
  list.AddOption("--decisions", flags.decisions, "How many of the last changes to show")
      .TypeName("NUMBER");
  SetAction(list, [](const GlobalFlags& global) { return ListWorkersOf(global, flags); });
  list.AddExample("tidemill workers list");
  list.AddExample("tidemill workers list --decisions 100 --json");
}

}  // namespace tidemill::cli

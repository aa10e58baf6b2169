#include "cli/views/path_screen.h"

#include <algorithm>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/results/training_limit.h"
#include "cli/stack/device_text.h"
#include "cli/terminal/text.h"
#include "cli/views/engine_text.h"
#include "loader/path/path_verdict.h"
#include "loader/path/predicted_gains.h"
#include "preprocess/client/path_work_message.h"

// A look at a training, without its workers and devices:
//
//   run 12 of elec2: trigger 3, train, epoch 1, 6,000 of 64,000 samples
//   started: choosing 21.9 ms, opening 31.0 ms
//   1.0 k samples/s; 60 % of the time waiting for data; limit: op resize (75 % of preparing)
//   predicted: twice the threads 2.0x; op resize twice as fast 1.6x
//
//   OP      ROWS/S  MB/S  OF PREPARING  ON A CORE  REJECTED
//   resize  1.0 k   2.5   75 %          50 %       42
//
//   reading               10 % of preparing
//   queueing for a core   5 % of preparing
//   preparing             50 % of what its threads could
//   sending               -, batches are made where they are used

namespace tidemill::cli {
namespace {

using loader::PathWork;
using nlohmann::ordered_json;
using Unknown = std::optional<double>;

// Null is what cannot be told.
Unknown Ratio(double part, double whole) {
  return whole > 0 ? Unknown(part / whole) : std::nullopt;
}

Unknown Share(int64_t part, int64_t whole) {
  const Unknown ratio = Ratio(static_cast<double>(part), static_cast<double>(whole));
  return ratio ? Unknown(std::clamp(*ratio, 0.0, 1.0)) : std::nullopt;
}

std::string RateText(const Unknown& rate) {
  if (!rate) return "-";
  return *rate < 100 ? fmt::format("{:.1f}", *rate) : Short(*rate);
}
std::string MegabytesText(const Unknown& rate) {
  return rate ? fmt::format("{:.1f}", *rate / 1e6) : "-";
}
std::string PercentText(const Unknown& share) {
  return share ? fmt::format("{:.0f} %", 100 * *share) : "-";
}
ordered_json JsonOf(const Unknown& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

struct OpRates {
  std::string type;
  Unknown rows_per_second = {};
  Unknown bytes_per_second = {};
  // The share of the time of the threads that prepare.
  Unknown share;
  // The share of the op's time.
  Unknown cpu_share;
  // So far.
  int64_t rejected = 0;
};

struct TrainingRates {
  Unknown per_second;
  // std::nullopt before the first batches.
  std::optional<loader::PathVerdict> verdict;
  PredictedGains gains;
  std::vector<OpRates> ops;
  // The share of the time of the threads that prepare: reading, ready without a core.
  Unknown reading;
  Unknown queueing;
  // The share of the time that these threads could have been busy.
  Unknown busy;
  // The share of the links' time; unknown where batches do not use links.
  Unknown sending;
  // The share of the samples that were found prepared, and the share of the time to find them.
  Unknown found;
  Unknown finding;
  // So far.
  rpc::v1::SharedWork shared;
};

struct WorkerRates {
  const preprocess::v1::Worker* worker = nullptr;
  Unknown batches_per_second = {};
  Unknown bytes_per_second = {};
};

bool IsTraining(const supervisor::v1::Progress& progress) { return progress.stage() == "train"; }

TrainingRates RatesOf(const std::optional<RunLook>& before, const RunLook& now) {
  const PathWork so_far = preprocess::FromMessage(now.progress.path());
  TrainingRates rates;
  if (so_far.batches > 0 || now.progress.done() > 0) {
    rates.verdict =
        loader::Judge(now.progress.wait_share(), so_far, now.progress.device().starts_with("cuda"));
    for (const loader::PredictedGain& gain :
         loader::PredictGainsToShow(now.progress.wait_share(), so_far)) {
      *rates.gains.Add() = preprocess::ToMessage(gain);
    }
  }
  const bool is_same = before && IsTraining(before->progress) &&
                       before->progress.trigger() == now.progress.trigger() &&
                       before->progress.done() <= now.progress.done();
  const double seconds = is_same ? now.seconds - before->seconds : 0;
  PathWork lately;
  if (is_same) lately = loader::Since(preprocess::FromMessage(before->progress.path()), so_far);
  if (is_same) {
    rates.per_second =
        Ratio(static_cast<double>(now.progress.done() - before->progress.done()), seconds);
  }
  // Shares are of the time between the looks, or of the whole time so far when nothing was made in
  // between.
  const PathWork& shown = lately.busy_ns > 0 ? lately : so_far;
  rates.reading = Share(shown.read_ns, shown.busy_ns);
  rates.queueing = Share(shown.queue_ns, shown.busy_ns);
  rates.busy = Share(shown.busy_ns, shown.capacity_ns);
  rates.sending = Share(shown.link_busy_ns, shown.link_ns);
  if (shown.found > 0) {
    rates.found = Share(shown.found, shown.rows);
    rates.finding = Share(shown.find_ns, shown.busy_ns);
  }
  rates.shared = now.progress.path().shared();
  for (size_t i = 0; i < shown.ops.size(); ++i) {
    const transform::OpWork& op = shown.ops[i].work;
    OpRates row{.type = shown.ops[i].type,
                .share = Share(op.wall_ns, shown.busy_ns),
                .cpu_share = Share(op.cpu_ns, op.wall_ns),
                .rejected = so_far.ops[i].work.rejected};
    if (i < lately.ops.size()) {
      row.rows_per_second = Ratio(static_cast<double>(lately.ops[i].work.rows), seconds);
      row.bytes_per_second = Ratio(static_cast<double>(lately.ops[i].work.bytes), seconds);
    }
    rates.ops.push_back(std::move(row));
  }
  return rates;
}

std::vector<WorkerRates> RatesOfWorkers(const std::optional<RunLook>& before,
                                        const PreparingLook& now) {
  std::vector<WorkerRates> rates;
  for (const preprocess::v1::Worker& worker : now.workers) {
    rates.push_back({.worker = &worker});
    if (!before || !before->preparing) continue;
    const double seconds = now.seconds - before->preparing->seconds;
    for (const preprocess::v1::Worker& earlier : before->preparing->workers) {
      const auto& a = earlier.incarnation();
      const auto& b = worker.incarnation();
      if (a.worker_id() != b.worker_id() || a.incarnation() != b.incarnation()) continue;
      const int64_t batches = worker.num_batches() - earlier.num_batches();
      const int64_t bytes = worker.num_bytes() - earlier.num_bytes();
      rates.back().batches_per_second = Ratio(static_cast<double>(batches), seconds);
      rates.back().bytes_per_second = Ratio(static_cast<double>(bytes), seconds);
    }
  }
  return rates;
}

const char* NameOf(preprocess::v1::WorkerState state) {
  switch (state) {
    case preprocess::v1::WORKER_STATE_ALIVE:
      return "alive";
    case preprocess::v1::WORKER_STATE_DRAINING:
      return "draining";
    case preprocess::v1::WORKER_STATE_LOST:
      return "lost";
    default:
      return "unknown";
  }
}

struct StartStage {
  const char* name;
  const char* key;
  std::optional<double> seconds;
};

// The stages of a training's start that were measured.
std::vector<StartStage> StagesOf(const rpc::v1::TrainingStart& start) {
  const auto maybe = [](bool has, double seconds) { return has ? Unknown(seconds) : std::nullopt; };
  std::vector<StartStage> stages = {
      {"choosing", "select_seconds", maybe(start.has_select_seconds(), start.select_seconds())},
      {"fitting", "fit_seconds", maybe(start.has_fit_seconds(), start.fit_seconds())},
      {"opening", "opening_seconds", maybe(start.has_opening_seconds(), start.opening_seconds())},
      {"asking", "asking_seconds", maybe(start.has_asking_seconds(), start.asking_seconds())},
      {"first batch", "first_batch_seconds",
       maybe(start.has_first_batch_seconds(), start.first_batch_seconds())},
      {"first step", "first_step_seconds",
       maybe(start.has_first_step_seconds(), start.first_step_seconds())}};
  std::erase_if(stages, [](const StartStage& stage) { return !stage.seconds; });
  return stages;
}

// "started: choosing 24.1 ms, opening 31.0 ms, ..."
std::string DescribeStart(const rpc::v1::TrainingStart& start) {
  std::vector<std::string> parts;
  for (const StartStage& stage : StagesOf(start)) {
    parts.push_back(fmt::format("{} {:.1f} ms", stage.name, 1000 * *stage.seconds));
  }
  return parts.empty() ? "" : fmt::format("started: {}\n", fmt::join(parts, ", "));
}

std::string DescribeTraining(const TrainingRates& rates, const rpc::v1::TrainingStart& start) {
  if (!rates.verdict) return DescribeStart(start) + "the first batches are being prepared\n";
  std::string text = DescribeStart(start);
  text += fmt::format("{} samples/s; {}\n", RateText(rates.per_second), rates.verdict->ToText());
  if (!rates.gains.empty()) text += "predicted: " + TextOf(rates.gains) + "\n";
  if (rates.ops.empty()) return text;
  Table table({"OP", "ROWS/S", "MB/S", "OF PREPARING", "ON A CORE", "REJECTED"});
  for (const OpRates& op : rates.ops) {
    table.Add({op.type, RateText(op.rows_per_second), MegabytesText(op.bytes_per_second),
               PercentText(op.share), PercentText(op.cpu_share), WithThousands(op.rejected)});
  }
  text += "\n" + table.ToString();
  text += fmt::format("\nreading               {} of preparing\n", PercentText(rates.reading));
  if (rates.found) {
    text += fmt::format("found prepared        {} of the samples, in {} of preparing\n",
                        PercentText(rates.found), PercentText(rates.finding));
  }
  text += fmt::format("queueing for a core   {} of preparing\n", PercentText(rates.queueing));
  text +=
      fmt::format("preparing             {} of what its threads could\n", PercentText(rates.busy));
  text += rates.sending
              ? fmt::format("sending               {} of the time\n", PercentText(rates.sending))
              : "sending               -, batches are made where they are used\n";
  return text;
}

std::string DescribePreparing(const std::optional<RunLook>& before, const PreparingLook& now) {
  Table workers({"WORKER", "STATE", "THREADS", "LEASES", "BATCHES/S", "MB/S"});
  for (const WorkerRates& row : RatesOfWorkers(before, now)) {
    workers.Add({row.worker->name(), NameOf(row.worker->state()),
                 std::to_string(row.worker->num_threads()),
                 std::to_string(row.worker->num_leased()), RateText(row.batches_per_second),
                 MegabytesText(row.bytes_per_second)});
  }
  Table jobs({"JOB", "BATCHES", "DONE", "ISSUED", "LEASED", "REISSUED", "WAITING"});
  for (const preprocess::v1::Job& job : now.jobs) {
    jobs.Add({job.name(), WithThousands(job.num_batches()), WithThousands(job.num_done()),
              WithThousands(job.num_issued()), WithThousands(job.num_leased()),
              WithThousands(job.num_reissued()), PercentText(job.wait_share())});
  }
  std::string reasons;
  for (const preprocess::v1::Worker& worker : now.workers) {
    if (worker.lost_because().empty()) continue;
    reasons += fmt::format("worker {} is lost: it {}\n", worker.name(), worker.lost_because());
  }
  return "\n" + workers.ToString() + reasons + "\n" + jobs.ToString();
}

std::string StageText(const supervisor::v1::Progress& progress) {
  std::string text;
  if (progress.trigger() > 0) text += fmt::format("trigger {}, ", progress.trigger());
  text += progress.stage();
  if (IsTraining(progress)) text += fmt::format(", epoch {}", progress.epoch() + 1);
  if (progress.total() > 0) {
    text += fmt::format(", {} of {} {}", WithThousands(progress.done()),
                        WithThousands(progress.total()), progress.unit());
  }
  if (!progress.device().empty()) text += ", on " + progress.device();
  return text;
}

void AddTraining(const TrainingRates& rates, double wait_share, ordered_json& json) {
  json["per_second"] = JsonOf(rates.per_second);
  json["wait_share"] = wait_share;
  json["verdict"] = nullptr;
  json["limit"] = nullptr;
  if (rates.verdict) {
    json["verdict"] = rates.verdict->ToText();
    json["limit"] = std::string(loader::NameOf(rates.verdict->limit));
  }
  json["gains"] = GainsToJson(rates.gains);
  json["ops"] = ordered_json::array();
  for (const OpRates& op : rates.ops) {
    json["ops"].push_back({{"type", op.type},
                           {"rows_per_second", JsonOf(op.rows_per_second)},
                           {"bytes_per_second", JsonOf(op.bytes_per_second)},
                           {"share", JsonOf(op.share)},
                           {"cpu_share", JsonOf(op.cpu_share)},
                           {"rejected", op.rejected}});
  }
  json["reading_share"] = JsonOf(rates.reading);
  json["found_share"] = JsonOf(rates.found);
  json["finding_share"] = JsonOf(rates.finding);
  json["queueing_share"] = JsonOf(rates.queueing);
  json["busy_share"] = JsonOf(rates.busy);
  json["sending_share"] = JsonOf(rates.sending);
  json["shared"] = SharedToJson(rates.shared);
}

void AddPreparing(const std::optional<RunLook>& before, const RunLook& now, ordered_json& json) {
  if (!now.preparing) {
    json["workers"] = nullptr;
    json["jobs"] = nullptr;
    return;
  }
  json["workers"] = ordered_json::array();
  for (const WorkerRates& row : RatesOfWorkers(before, *now.preparing)) {
    json["workers"].push_back({{"name", row.worker->name()},
                               {"state", NameOf(row.worker->state())},
                               {"lost_because", row.worker->lost_because()},
                               {"threads", row.worker->num_threads()},
                               {"leased", row.worker->num_leased()},
                               {"batches_per_second", JsonOf(row.batches_per_second)},
                               {"bytes_per_second", JsonOf(row.bytes_per_second)}});
  }
  json["jobs"] = ordered_json::array();
  for (const preprocess::v1::Job& job : now.preparing->jobs) {
    json["jobs"].push_back({{"name", job.name()},
                            {"batches", job.num_batches()},
                            {"done", job.num_done()},
                            {"issued", job.num_issued()},
                            {"leased", job.num_leased()},
                            {"reissued", job.num_reissued()},
                            {"wait_share", job.wait_share()}});
  }
}

}  // namespace

bool IsJobOf(const preprocess::v1::Job& job, int64_t run_id) {
  return job.name().starts_with(fmt::format("run-{}/", run_id));
}

std::string DescribeLook(const std::optional<RunLook>& before, const RunLook& now) {
  const supervisor::v1::Progress& progress = now.progress;
  std::string text = fmt::format(
      "run {} of {}: {}\n", now.run_id, Printable(now.pipeline),
      progress.stage().empty() ? "it has not reported yet" : Printable(StageText(progress)));
  if (IsTraining(progress)) text += DescribeTraining(RatesOf(before, now), progress.start());
  const std::string shared = DescribeShared(progress.path().shared());
  if (!shared.empty()) text += shared + "\n";
  if (now.preparing && !now.preparing->jobs.empty()) {
    text += DescribePreparing(before, *now.preparing);
  }
  for (const rpc::v1::EngineGroup& group : now.engines) {
    text += "\n" + DescribeEngine(group, Now().micros);
  }
  for (const supervisor::v1::ServerSlots& server : now.devices.servers()) {
    text += fmt::format("{}{}: {}\n", &server == &now.devices.servers(0) ? "\n" : "",
                        server.server(), Printable(DescribeSlots(server)));
  }
  return text;
}

ordered_json LookToJson(const std::optional<RunLook>& before, const RunLook& now) {
  const supervisor::v1::Progress& progress = now.progress;
  ordered_json json = {{"run", now.run_id},          {"pipeline", now.pipeline},
                       {"stage", progress.stage()},  {"trigger", progress.trigger()},
                       {"done", progress.done()},    {"total", progress.total()},
                       {"unit", progress.unit()},    {"epoch", progress.epoch()},
                       {"device", progress.device()}};
  if (IsTraining(progress)) {
    json["start"] = ordered_json::object();
    for (const StartStage& stage : StagesOf(progress.start())) {
      json["start"][stage.key] = *stage.seconds;
    }
    AddTraining(RatesOf(before, now), progress.wait_share(), json);
  }
  AddPreparing(before, now, json);
  json["devices"] = DevicesToJson(now.devices);
  if (!now.engines.empty()) json["engines"] = ordered_json::array();
  for (const rpc::v1::EngineGroup& group : now.engines) {
    json["engines"].push_back(EngineToJson(group));
  }
  return json;
}

}  // namespace tidemill::cli

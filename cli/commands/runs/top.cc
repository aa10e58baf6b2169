#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <stop_token>

#include "nlohmann/json.hpp"

#include "base/mutex.h"
#include "base/threads/periodic_task.h"
#include "cli/command_line/action.h"
#include "cli/command_line/names.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/runs/commands.h"
#include "cli/results/run_json.h"
#include "cli/results/run_report.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/views/path_screen.h"
#include "preprocess/client/dispatcher_client.h"
#include "preprocess/client/scaling_client.h"
#include "supervisor_client/pool_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

constexpr std::chrono::seconds kRefresh{1};
// The run's own numbers do not wait longer for others.
constexpr std::chrono::milliseconds kOthersDeadline{500};
// One table is printed once there are rates, or after this many looks.
constexpr int kMaxLooks = 4;

struct TopFlags {
  std::string run;
  bool once = false;
};

double SecondsOfClock() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// Jobs and workers, if the dispatcher tells.
std::optional<PreparingLook> LookAtPreparing(const Session& session, int64_t run) {
  rpc::Peer peer = session.PeerOf("preprocess");
  if (peer.endpoint.empty()) return std::nullopt;
  peer.deadline = kOthersDeadline;
  preprocess::DispatcherClient dispatcher(peer);
  const auto jobs = dispatcher.ListJobs();
  if (!jobs.ok()) return std::nullopt;
  const auto workers = dispatcher.ListWorkers();
  if (!workers.ok()) return std::nullopt;
  PreparingLook look{.workers = {workers->workers().begin(), workers->workers().end()},
                     .seconds = SecondsOfClock()};
  for (const preprocess::v1::Job& job : jobs->jobs()) {
    if (IsJobOf(job, run)) look.jobs.push_back(job);
  }
  return look;
}

// The devices of jobs, if the supervisor reports them.
supervisor::v1::ListDevicesResponse LookAtDevices(const Session& session) {
  rpc::Peer peer = session.PeerOf("supervisor");
  peer.deadline = kOthersDeadline;
  return supervisor::SupervisorClient(peer).ListDevices().value_or(
      supervisor::v1::ListDevicesResponse());
}

// What the engine does for workers and for trainer servers, if the services tell.
EngineLook LookAtEngines(const Session& session) {
  EngineLook engines;
  rpc::Peer dispatcher = session.PeerOf("preprocess");
  dispatcher.deadline = kOthersDeadline;
  if (!dispatcher.endpoint.empty()) {
    const auto scaling = preprocess::ScalingClient(dispatcher).Get(/*most_decisions=*/1);
    if (scaling.ok() && scaling->has_engine()) engines.push_back(scaling->engine());
  }
  rpc::Peer supervisor = session.PeerOf("supervisor");
  supervisor.deadline = kOthersDeadline;
  const auto pool = supervisor::PoolClient(supervisor).Get();
  if (!pool.ok()) return engines;
  engines.insert(engines.end(), pool->engines().begin(), pool->engines().end());
  return engines;
}

// One run, looked at every second while its progress streams in. Thread-safe.
class TopView {
 public:
  // `once`: shows one table with rates, then ends the stream. `json`: as JSON.
  TopView(const Session& session, const supervisor::v1::Run& run, bool once, bool json)
      : session_(session), run_(run), once_(once), json_(json) {}

  // Returns when the run has ended, or after the one table.
  absl::Status Watch() {
    rpc::Peer peer = session_.PeerOf("supervisor");
    peer.stop = enough_.get_token();
    supervisor::SupervisorClient supervisor(peer);
    absl::Status end;
    {
      const PeriodicTask looks("top", kRefresh, [this] { return Look(); });
      const auto hear = [this](const supervisor::v1::WatchRunResponse& message) {
        if (message.has_progress()) Heard(message.progress());
        return absl::OkStatus();
      };
      const auto no_patience = [] { return std::chrono::milliseconds::zero(); };
      end = supervisor.WatchRun({run_.run_id()}, 0, hear, no_patience).status();
    }
    if (is_shown_ && once_) return absl::OkStatus();
    if (once_ && end.ok()) ShowTop();  // The run has ended before there were two looks.
    return end;
  }

 private:
  void Heard(const supervisor::v1::Progress& progress) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    progress_ = progress;
    heard_at_ = SecondsOfClock();
  }

  absl::Status Look() {
    RunLook now{.run_id = run_.run_id(),
                .pipeline = run_.pipeline_name(),
                .preparing = LookAtPreparing(session_, run_.run_id()),
                .devices = LookAtDevices(session_),
                .engines = LookAtEngines(session_)};
    {
      MutexLock lock(mutex_);
      now.progress = progress_;
      now.seconds = heard_at_;
    }
    before_ = std::move(now_);
    now_ = std::move(now);
    ++num_looks_;
    const bool has_rates = before_ && !before_->progress.stage().empty();
    if (once_ && !has_rates && num_looks_ < kMaxLooks) return absl::OkStatus();
    if (!is_shown_ || !once_) ShowTop();
    if (once_) enough_.request_stop();
    return absl::OkStatus();
  }

  void ShowTop() {
    is_shown_ = true;
    RunLook now = now_.value_or(RunLook{.run_id = run_.run_id(), .pipeline = run_.pipeline_name()});
    if (json_) {
      fmt::print("{}\n", LookToJson(before_, now).dump());
    } else if (once_) {
      fmt::print("{}", DescribeLook(before_, now));
    } else {
      // From the top left on, each line to its end, and what is below.
      std::string text = "\x1b[H";
      for (const char c : DescribeLook(before_, now))
        text += c == '\n' ? "\x1b[K\n" : std::string(1, c);
      fmt::print("{}\x1b[J", text);
    }
    std::fflush(stdout);
  }

  const Session& session_;
  const supervisor::v1::Run run_;
  const bool once_;
  const bool json_;
  std::stop_source enough_;
  // Used by the task's thread, and by Watch() once that has ended.
  std::optional<RunLook> before_;
  std::optional<RunLook> now_;
  int num_looks_ = 0;
  bool is_shown_ = false;
  Mutex mutex_;
  supervisor::v1::Progress progress_ ABSL_GUARDED_BY(mutex_);
  double heard_at_ ABSL_GUARDED_BY(mutex_) = 0;
};

// The newest run that is running; NOT_FOUND when none is.
absl::StatusOr<supervisor::v1::Run> NewestRunning(const Session& session) {
  supervisor::v1::ListRunsRequest newest;
  newest.add_states(supervisor::v1::RUN_STATE_RUNNING);
  newest.set_limit(1);
  ASSIGN_OR_RETURN(const auto listed, session.Ask(&supervisor::SupervisorClient::FindRuns, newest));
  if (listed.runs().empty()) return NotFound("no run is running; see `tidemill runs list`");
  return listed.runs(0);
}

// FAILED_PRECONDITION for a run that has ended.
absl::StatusOr<supervisor::v1::Run> RunOf(const Session& session, const std::string& name) {
  if (name.empty()) return NewestRunning(session);
  ASSIGN_OR_RETURN(const RunId named, FindRun(session, name));
  const int64_t number = named.value;
  ASSIGN_OR_RETURN(const supervisor::v1::GetRunResponse response, FetchRun(session, number));
  const supervisor::v1::Run& run = response.run();
  if (run.state() == supervisor::v1::RUN_STATE_RUNNING) return run;
  return FailedPrecondition(
      "run {} is not running but {}; `tidemill runs show {}` says what limited its trainings",
      number, StateName(run.state()), number);
}

int Top(const GlobalFlags& flags, const TopFlags& top) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto run = RunOf(session, top.run);
    if (!run.ok()) return Report(run.status());
    const bool once = top.once || flags.json || !IsTerminal(STDOUT_FILENO);
    TopView view(session, *run, once, flags.json);
    if (!once) fmt::print("\x1b[2J");
    const absl::Status end = view.Watch();
    if (!end.ok()) return Report(end);
    if (!once) fmt::print("run {} has ended\n", run->run_id());
    return kDone;
  });
}

}  // namespace

void AddTopCommand(Command& app) {
  Command& top = app.AddSubcommand(
      "top", "Show live what limits a run's training, op by op and worker by worker");
  static TopFlags flags;
  top.AddOption("run", flags.run, "The run (default: the newest that is running)").TypeName("RUN");
  top.AddFlag("--once", flags.once, "Print one table and end, as it does without a terminal");
  SetAction(top, [](const GlobalFlags& global) { return Top(global, flags); });
  top.AddExample("tidemill top");
  top.AddExample("tidemill top 12 --once");
}

}  // namespace tidemill::cli

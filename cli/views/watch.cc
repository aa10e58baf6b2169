#include "cli/views/watch.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <stop_token>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/threads/periodic_task.h"
#include "cli/results/run_report.h"
#include "cli/stack/wait_note.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/views/interrupts.h"
#include "cli/views/progress.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{100};
// How long a supervisor may be away that has no keeper, or whose keeper is not visible from here.
constexpr std::chrono::seconds kPatience{60};
// A keeper starts its supervisor again when it dies. One that is only stopped, or on a machine that
// does nothing else, is waited for.
constexpr std::chrono::minutes kPatienceWithKeeper{30};
// A run can be silent for hours; then the supervisor is asked whether it still runs.
constexpr std::chrono::seconds kAskWhenSilent{3};
constexpr std::chrono::seconds kAnswerTime{2};

// The displayed state of a run, updated by the threads that receive its events.
class Screen {
 public:
  explicit Screen(bool quiet) : printer_(IsTerminal(STDERR_FILENO), quiet) {}

  void Show(const v1::WatchRunResponse& message) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    if (message.has_event()) {
      printer_.Event(message.event());
    } else if (message.has_progress()) {
      printer_.Update(message.progress());
    } else if (message.has_final()) {
      printer_.End(message.final());
    }
  }
  void Say(const std::string& line) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    printer_.Say(line);
  }

 private:
  Mutex mutex_;
  ProgressPrinter printer_ ABSL_GUARDED_BY(mutex_);
};

// Asks a silent supervisor whether it still runs.
class Prober {
 public:
  Prober(const Session& session, WaitNote& note)
      : peer_(PeerFor(session)), note_(note), task_("probe", kAskWhenSilent, [this] {
          Ask();
          return absl::OkStatus();
        }) {}
  ~Prober() { stop_.request_stop(); }
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

 private:
  rpc::Peer PeerFor(const Session& session) const {
    rpc::Peer peer = session.PeerOf("supervisor");
    peer.deadline = kAnswerTime;
    peer.stop = stop_.get_token();
    return peer;
  }

  void Ask() {
    if (note_.Silence() < kAskWhenSilent) return;
    // A dataset without runs: the answer is short.
    const absl::Status answer = supervisor::SupervisorClient(peer_).ListRuns("-").status();
    if (!absl::IsUnavailable(answer) && !absl::IsDeadlineExceeded(answer) &&
        !absl::IsCancelled(answer)) {
      note_.Heard();
    }
  }

  std::stop_source stop_;
  const rpc::Peer peer_;
  WaitNote& note_;
  PeriodicTask task_;  // The last member: it starts once all members above exist.
};

std::chrono::seconds PatienceWith(const Session& session) {
  const bool is_kept = !session.remote() && KeeperOf(session.layout());
  return is_kept ? kPatienceWithKeeper : kPatience;
}

// After the first Ctrl-C: waits two seconds for a second one, which stops the run.
absl::StatusOr<WatchEnd> Detach(const Session& session, int64_t run) {
  fmt::print(stderr,
             "\ndetached; run {} continues. Watch it with `tidemill watch {}`, stop it with "
             "`tidemill runs stop {}` or Ctrl-C again now\n",
             run, run, run);
  const auto until = Clock::now() + std::chrono::seconds{2};
  while (Clock::now() < until && InterruptScope::Count() < 2) std::this_thread::sleep_for(kPause);
  if (InterruptScope::Count() >= 2) {
    RETURN_IF_ERROR(session.Ask(&supervisor::SupervisorClient::StopRun, RunId{run}).status());
    fmt::print(stderr, "run {} stops\n", run);
  }
  return WatchEnd::kDetached;
}

}  // namespace

absl::StatusOr<WatchEnd> WatchRun(const Session& session, int64_t run, bool quiet) {
  const InterruptScope scope;
  Screen screen(quiet);
  WaitNote note("supervisor", [&screen](const std::string& line) { screen.Say(line); });
  const Prober prober(session, note);
  std::stop_source interrupted;
  const PeriodicTask canceller("interrupts", kPause, [&interrupted] {
    if (InterruptScope::Count() > 0) interrupted.request_stop();
    return absl::OkStatus();
  });
  rpc::Peer peer = session.PeerOf("supervisor");
  peer.stop = interrupted.get_token();
  const auto show = [&](const v1::WatchRunResponse& message) {
    note.Heard();
    screen.Show(message);
    return absl::OkStatus();
  };
  const absl::Status end = supervisor::SupervisorClient(peer)
                               .WatchRun({run}, 0, show, [&] { return PatienceWith(session); })
                               .status();
  if (InterruptScope::Count() > 0) return Detach(session, run);
  RETURN_IF_ERROR(end);
  return WatchEnd::kFinished;
}

int FollowRun(const Session& session, int64_t run, bool quiet, bool json, bool full) {
  const absl::StatusOr<WatchEnd> end = WatchRun(session, run, quiet);
  if (!end.ok()) return Report(end.status());
  if (*end == WatchEnd::kDetached) return kInterrupted;
  return PrintRun(session, run, json, full);
}

}  // namespace tidemill::cli

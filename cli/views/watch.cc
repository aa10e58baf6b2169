#include "cli/views/watch.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
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
#include "cli/views/progress.h"
#include "rpc/grpc_status.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{100};
// How long a supervisor may be away that nobody keeps, or whose keeper is not seen from here.
constexpr std::chrono::seconds kPatience{60};
// A keeper starts its supervisor again when it dies. One that is only stopped, or on a machine that
// does nothing else, is waited for.
constexpr std::chrono::minutes kPatienceWithKeeper{30};
// A run can be silent for hours; then the supervisor is asked whether it is there.
constexpr std::chrono::seconds kAskWhenSilent{3};
constexpr std::chrono::seconds kAnswerTime{2};

std::atomic<int> interrupts{0};

void OnInterrupt(int) { interrupts.fetch_add(1); }

// Counts Ctrl-C instead of dying of it, while in scope.
class InterruptScope {
 public:
  InterruptScope() {
    interrupts = 0;
    struct sigaction action {};
    action.sa_handler = OnInterrupt;
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptScope() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

// What is shown of a run, by the threads that hear of it.
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

// Asks a supervisor that says nothing whether it is there.
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
    const auto stub = v1::SupervisorService::NewStub(rpc::Connect(peer_));
    v1::ListRunsRequest request;
    request.set_pipeline_name("-");  // Nobody's: the answer is short.
    v1::ListRunsResponse response;
    const absl::Status answer =
        rpc::Call(peer_, *stub, &v1::SupervisorService::Stub::ListRuns, request, &response);
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

struct StreamEnd {
  bool finished = false;
  bool progressed = false;
  absl::Status status;
};

// One connection's worth of the stream.
StreamEnd Stream(const Session& session, int64_t run, int64_t& sequence, Screen& screen,
                 WaitNote& note) {
  const rpc::Peer peer = session.PeerOf("supervisor");
  const auto stub = v1::SupervisorService::NewStub(rpc::Connect(peer));
  grpc::ClientContext context;
  rpc::Prepare(peer, std::chrono::milliseconds{0}, context);
  v1::WatchRunRequest request;
  request.set_run_id(run);
  request.set_after_sequence(sequence);
  const auto reader = stub->WatchRun(&context, request);
  const PeriodicTask canceller("interrupts", kPause, [&context] {
    if (interrupts > 0) context.TryCancel();
    return absl::OkStatus();
  });
  StreamEnd end;
  v1::WatchRunResponse message;
  while (reader->Read(&message)) {
    end.progressed = true;
    note.Heard();
    screen.Show(message);
    if (message.has_event()) sequence = message.event().sequence();
    if (message.has_final()) end.finished = true;
  }
  end.status = FromGrpc(reader->Finish());
  return end;
}

// Whether a stream that ended like this is worth another attempt: the connection broke, or, where
// there was one before, the supervisor has not yet found that out and holds its place.
bool MayGoOn(const absl::Status& end, bool was_open) {
  return end.ok() || absl::IsUnavailable(end) || absl::IsDeadlineExceeded(end) ||
         (was_open && (absl::IsCancelled(end) || absl::IsResourceExhausted(end)));
}

std::chrono::seconds PatienceWith(const Session& session) {
  const bool is_kept = !session.remote() && KeeperOf(session.layout());
  return is_kept ? kPatienceWithKeeper : kPatience;
}

// After the first Ctrl-C: waits two seconds for a second one, which stops the run.
absl::StatusOr<WatchEnd> Detach(const Session& session, int64_t run) {
  fmt::print(stderr,
             "\ndetached; run {} goes on. Watch it with `tidemill watch {}`, stop it with "
             "`tidemill runs stop {}` or Ctrl-C again now\n",
             run, run, run);
  const auto until = Clock::now() + std::chrono::seconds{2};
  while (Clock::now() < until && interrupts < 2) std::this_thread::sleep_for(kPause);
  if (interrupts >= 2) {
    v1::StopRunRequest request;
    request.mutable_command()->set_request_id(rpc::NewRequestId());
    request.set_run_id(run);
    v1::StopRunResponse response;
    RETURN_IF_ERROR(session.Call<v1::SupervisorService>(
        "supervisor", &v1::SupervisorService::Stub::StopRun, request, &response));
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
  int64_t sequence = 0;
  bool was_open = false;
  auto lost_at = Clock::now();
  for (;;) {
    const StreamEnd end = Stream(session, run, sequence, screen, note);
    if (interrupts > 0) return Detach(session, run);
    if (end.finished) return WatchEnd::kFinished;
    if (end.progressed) lost_at = Clock::now();
    was_open = was_open || end.progressed;
    if (!MayGoOn(end.status, was_open) || Clock::now() - lost_at > PatienceWith(session)) {
      return end.status;
    }
    std::this_thread::sleep_for(kPause);
  }
}

int FollowRun(const Session& session, int64_t run, bool quiet, bool json, bool full) {
  const absl::StatusOr<WatchEnd> end = WatchRun(session, run, quiet);
  if (!end.ok()) return Report(end.status());
  if (*end == WatchEnd::kDetached) return kInterrupted;
  return PrintRun(session, run, json, full);
}

}  // namespace tidemill::cli

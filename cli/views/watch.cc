#include "cli/views/watch.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/threads/periodic_task.h"
#include "cli/results/run_report.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/views/progress.h"
#include "rpc/grpc_status.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::milliseconds kPause{100};

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

struct StreamEnd {
  bool finished = false;
  bool progressed = false;
  absl::Status status;
};

// One connection's worth of the stream.
StreamEnd Stream(const Session& session, int64_t run, int64_t& sequence, ProgressPrinter& printer) {
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
    if (message.has_event()) {
      sequence = message.event().sequence();
      printer.Event(message.event());
    } else if (message.has_progress()) {
      printer.Update(message.progress());
    } else if (message.has_final()) {
      printer.End(message.final());
      end.finished = true;
    }
  }
  end.status = FromGrpc(reader->Finish());
  return end;
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
  ProgressPrinter printer(IsTerminal(STDERR_FILENO), quiet);
  int64_t sequence = 0;
  auto lost_at = Clock::now();
  for (;;) {
    const StreamEnd end = Stream(session, run, sequence, printer);
    if (interrupts > 0) return Detach(session, run);
    if (end.finished) return WatchEnd::kFinished;
    if (end.progressed) lost_at = Clock::now();
    const bool passing = end.status.ok() || absl::IsUnavailable(end.status);
    if (!passing || Clock::now() - lost_at > kPatience) return end.status;
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

#include "base/process/job_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "fmt/format.h"

#include "base/descriptor.h"
#include "base/memory/heap.h"
#include "base/paths/local_socket.h"
#include "base/process/protocol.h"
#include "base/process/zygote.h"
#include "base/usage/account.h"
#include "base/whole_io.h"

namespace tidemill::process {
namespace {

struct Request {
  char what = 0;
  int64_t number = 0;
  std::vector<std::string> arguments;
  Descriptor report;
  Descriptor exit;
};

// The next request. std::nullopt: there is none now. UNAVAILABLE when the server is gone, DATA_LOSS
// for a request without its descriptors.
absl::StatusOr<std::optional<Request>> Receive(const LocalSocket& socket) {
  constexpr size_t kHeader = 1 + sizeof(int64_t);
  std::string bytes(kMaxMessage, '\0');
  std::vector<Descriptor> descriptors;
  ASSIGN_OR_RETURN(const size_t size,
                   socket.Receive(std::as_writable_bytes(std::span(bytes)), descriptors));
  if (size == 0) return std::optional<Request>();
  if (size < kHeader) return Unavailable("a message of {} bytes is not a request", size);
  Request request;
  request.what = bytes[0];
  std::memcpy(&request.number, bytes.data() + 1, sizeof(request.number));
  std::string_view rest(bytes.data() + kHeader, size - kHeader);
  for (size_t end = rest.find('\0'); end != rest.npos; end = rest.find('\0')) {
    request.arguments.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  if (descriptors.size() == 2) {
    request.report = std::move(descriptors[0]);
    request.exit = std::move(descriptors[1]);
  }
  return std::optional<Request>(std::move(request));
}

// Replaces this process by a fresh one that runs the job, reporting on kInheritedFd.
[[noreturn]] void ExecuteAnew(const std::vector<std::string>& arguments, int report) {
  if (report == kInheritedFd) {
    fcntl(report, F_SETFD, 0);
  } else {
    dup2(report, kInheritedFd);
  }
  std::string program = "/proc/self/exe";
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers = {program.data()};
  for (std::string& argument : copies) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  _exit(127);
}

int64_t ProcessorNanos(const rusage& used) {
  const auto nanos = [](const timeval& time) {
    return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1000;
  };
  return nanos(used.ru_utime) + nanos(used.ru_stime);
}

class ZygoteLoop {
 public:
  ZygoteLoop(const JobFunction& job, LocalSocket socket) : job_(job), socket_(std::move(socket)) {
    // Held by the zygote alone: its jobs close it, so that it ends with the server.
    fcntl(socket_.number(), F_SETFD, FD_CLOEXEC);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
    // A job scheduler sends it to all processes. The zygote ends with its server.
    signal(SIGTERM, SIG_IGN);
    signals_ = Descriptor(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  // Serves until the server is gone.
  int Run() {
    while (true) {
      pollfd polled[] = {{socket_.number(), POLLIN, 0}, {signals_.number(), POLLIN, 0}};
      if (poll(polled, 2, KillLate()) < 0) continue;
      if (polled[1].revents != 0) ReapJobs();
      if (polled[0].revents == 0) continue;
      absl::StatusOr<std::optional<Request>> received = Receive(socket_);
      if (absl::IsUnavailable(received.status())) return 0;
      // A request that has lost its descriptors has lost the exit pipe: the server finds the job
      // lost.
      if (received.ok() && received->has_value()) Serve(**std::move(received));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct RunningJob {
    int64_t number;
    Descriptor exit;
    std::optional<Clock::time_point> kill_at = std::nullopt;
  };

  void Serve(Request request) {
    if (request.what == kKillJob || request.what == kEndJob) return End(request);
    Fork(std::move(request));
  }

  void Fork(Request request) {
    const pid_t zygote = getpid();
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid == 0) RunChild(std::move(request), zygote);
    if (pid < 0) {
      WriteWhole(request.exit.number(), fmt::format("lost cannot fork: {}\n", strerror(errno)));
      return;
    }
    jobs_.emplace(pid, RunningJob{request.number, std::move(request.exit)});
  }

  [[noreturn]] void RunChild(Request request, pid_t zygote) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != zygote) _exit(127);
    request.exit.Close();
    socket_ = LocalSocket();
    signals_.Close();
    jobs_.clear();
    signal(SIGTERM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (request.what == kExecuteJob) ExecuteAnew(request.arguments, request.report.number());
    usage::MeasureWholeProcess();
    Report report(request.report.number());
    const int code = job_(request.arguments, report);
    std::fflush(nullptr);
    _exit(code);
  }

  void End(const Request& request) {
    const bool at_once = request.what == kKillJob || request.arguments.empty();
    for (auto& [pid, running] : jobs_) {
      if (running.number != request.number) continue;
      kill(pid, at_once ? SIGKILL : SIGTERM);
      if (at_once) continue;
      running.kill_at = Clock::now() + std::chrono::milliseconds(std::stoll(request.arguments[0]));
    }
  }

  // Kills the jobs that had to end and have not. Returns the milliseconds until the next one is
  // late, or -1.
  int KillLate() {
    int64_t next = -1;
    for (auto& [pid, running] : jobs_) {
      if (!running.kill_at) continue;
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*running.kill_at - Clock::now());
      if (left.count() <= 0) {
        kill(pid, SIGKILL);
        running.kill_at.reset();
      } else {
        next = next < 0 ? left.count() + 1 : std::min(next, left.count() + 1);
      }
    }
    return static_cast<int>(std::min<int64_t>(next, 60'000));
  }

  void ReapJobs() {
    signalfd_siginfo ignored[8];
    while (read(signals_.number(), ignored, sizeof(ignored)) > 0) {
    }
    int status = 0;
    rusage used = {};
    const auto next = [&] { return wait4(-1, &status, WNOHANG, &used); };
    for (pid_t pid = next(); pid > 0; pid = next()) {
      const auto it = jobs_.find(pid);
      if (it == jobs_.end()) continue;
      const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                                  : fmt::format("code {}", WEXITSTATUS(status));
      WriteWhole(it->second.exit.number(), fmt::format("{} {}\n", how, ProcessorNanos(used)));
      jobs_.erase(it);
    }
  }

  const JobFunction& job_;
  LocalSocket socket_;
  Descriptor signals_;
  std::map<pid_t, RunningJob> jobs_;
};

}  // namespace

void Report::Line(std::string_view line) {
  constexpr size_t kAtomic = 4096;  // POSIX: a pipe takes this much in one piece.
  WriteWhole(fd_, std::string(line.substr(0, kAtomic - 1)) + '\n');
}

int RunJobProgram(int argc, char** argv, const JobFunction& job) {
  KeepFreedPages();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  signal(SIGPIPE, SIG_IGN);
  if (arguments == std::vector<std::string>{"--zygote"}) {
    return ZygoteLoop(job, LocalSocket(Descriptor(kInheritedFd))).Run();
  }
  usage::MeasureWholeProcess();
  Report report(fcntl(kInheritedFd, F_GETFD) >= 0 ? kInheritedFd : STDOUT_FILENO);
  return job(arguments, report);
}

}  // namespace tidemill::process

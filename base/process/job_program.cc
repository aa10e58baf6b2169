#include "base/process/job_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "fmt/format.h"

#include "base/heap.h"
#include "base/process/protocol.h"
#include "base/process/zygote.h"

namespace tidemill::process {
namespace {

struct Request {
  char what = 0;
  int64_t number = 0;
  std::vector<std::string> arguments;
  FileDescriptor report;
  FileDescriptor exit;
};

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

// std::nullopt when the server is gone.
std::optional<Request> Receive(int socket) {
  std::string bytes(kMaxMessage, '\0');
  iovec part{bytes.data(), bytes.size()};
  int descriptors[2] = {-1, -1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(descriptors))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  ssize_t got = 0;
  do {
    got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  constexpr ssize_t kHeader = 1 + sizeof(int64_t);
  if (got < kHeader) return std::nullopt;
  if (const cmsghdr* rights = CMSG_FIRSTHDR(&header); rights != nullptr) {
    std::memcpy(descriptors, CMSG_DATA(rights), sizeof(descriptors));
  }
  Request request;
  request.what = bytes[0];
  std::memcpy(&request.number, bytes.data() + 1, sizeof(request.number));
  std::string_view rest(bytes.data() + kHeader, static_cast<size_t>(got - kHeader));
  for (size_t end = rest.find('\0'); end != rest.npos; end = rest.find('\0')) {
    request.arguments.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  request.report = FileDescriptor(descriptors[0]);
  request.exit = FileDescriptor(descriptors[1]);
  return request;
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

class ZygoteLoop {
 public:
  ZygoteLoop(const JobFunction& job, int socket) : job_(job), socket_(socket) {
    // Held by the zygote alone: its jobs close it, so that it ends with the server.
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
    signals_ = FileDescriptor(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  // Serves until the server is gone.
  int Run() {
    while (true) {
      pollfd polled[] = {{socket_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
      if (poll(polled, 2, -1) < 0) continue;
      if (polled[1].revents != 0) ReapJobs();
      if (polled[0].revents == 0) continue;
      std::optional<Request> request = Receive(socket_.get());
      if (!request.has_value()) return 0;
      if (request->what == kKillJob) {
        Kill(request->number);
      } else {
        Fork(*std::move(request));
      }
    }
  }

 private:
  struct RunningJob {
    int64_t number;
    FileDescriptor exit;
  };

  void Fork(Request request) {
    const pid_t zygote = getpid();
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid == 0) RunChild(std::move(request), zygote);
    if (pid < 0) {
      WriteAll(request.exit.get(), fmt::format("lost fork: {}\n", strerror(errno)));
      return;
    }
    jobs_.emplace(pid, RunningJob{request.number, std::move(request.exit)});
  }

  [[noreturn]] void RunChild(Request request, pid_t zygote) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != zygote) _exit(127);
    request.exit.Close();
    socket_.Close();
    signals_.Close();
    jobs_.clear();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (request.what == kExecuteJob) ExecuteAnew(request.arguments, request.report.get());
    Report report(request.report.get());
    const int code = job_(request.arguments, report);
    std::fflush(nullptr);
    _exit(code);
  }

  void Kill(int64_t number) {
    for (const auto& [pid, running] : jobs_) {
      if (running.number == number) kill(pid, SIGKILL);
    }
  }

  void ReapJobs() {
    signalfd_siginfo ignored[8];
    while (read(signals_.get(), ignored, sizeof(ignored)) > 0) {
    }
    int status = 0;
    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
      const auto it = jobs_.find(pid);
      if (it == jobs_.end()) continue;
      WriteAll(it->second.exit.get(), WIFSIGNALED(status)
                                          ? fmt::format("signal {}\n", WTERMSIG(status))
                                          : fmt::format("code {}\n", WEXITSTATUS(status)));
      jobs_.erase(it);
    }
  }

  const JobFunction& job_;
  FileDescriptor socket_;
  FileDescriptor signals_;
  std::map<pid_t, RunningJob> jobs_;
};

}  // namespace

void Report::Line(std::string_view line) {
  constexpr size_t kAtomic = 4096;  // POSIX: a pipe takes this much in one piece.
  WriteAll(fd_, std::string(line.substr(0, kAtomic - 1)) + '\n');
}

int RunJobProgram(int argc, char** argv, const JobFunction& job) {
  KeepFreedPages();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  signal(SIGPIPE, SIG_IGN);
  if (arguments == std::vector<std::string>{"--zygote"}) {
    return ZygoteLoop(job, kInheritedFd).Run();
  }
  Report report(fcntl(kInheritedFd, F_GETFD) >= 0 ? kInheritedFd : STDOUT_FILENO);
  return job(arguments, report);
}

}  // namespace tidemill::process

#include "plugin/host/warden.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "base/descriptor.h"
#include "plugin/host/program.h"
#include "plugin/host/sandbox.h"

namespace tidemill::plugin::host {
namespace {

constexpr int kFirstAfterKilled = 128;
// The most threads of a plug-in; it has no other processes. Nothing of the kernel's counts those of
// one process, so they are looked at.
constexpr int kMaxThreads = 256;
constexpr int kLookMillis = 200;
// What bubblewrap has for its own end.
constexpr int kLastMillis = 500;

// Apart from the owner's terminal, its descriptors and what it does with signals.
void LeaveOwner(int num_files) {
  setsid();
  close_range(static_cast<unsigned>(kFirstData + num_files), ~0U, 0);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void BeInner(const Program& program, pid_t warden) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != warden) _exit(kCannotRun);
  // A working folder would be a way to the owner's files.
  if (chdir("/") == 0) Execute(program);
  std::fprintf(stderr, "tidemill-plugin-host: cannot start %s\n", program.path.c_str());
  _exit(kCannotRun);
}

int CodeOf(int status) {
  return WIFSIGNALED(status) ? kFirstAfterKilled + WTERMSIG(status) : WEXITSTATUS(status);
}

// The first child of a process; 0 for none.
pid_t ChildOf(pid_t process) {
  std::ifstream children(fmt::format("/proc/{}/task/{}/children", process, process));
  pid_t child = 0;
  return children >> child ? child : 0;
}

// bubblewrap stands between the plug-in's process and the warden; the plug-in itself has no
// children.
pid_t InnermostOf(pid_t process) {
  while (const pid_t child = ChildOf(process)) process = child;
  return process;
}

// Has the plug-in's process end and tell where it was. bubblewrap passes no signals on.
void RequestTraceback(pid_t process) { kill(InnermostOf(process), SIGABRT); }

int ThreadsOf(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  int threads = 0;
  for (std::string word; status >> word;) {
    if (word == "Threads:" && status >> threads) break;
  }
  return threads;
}

bool HasTooManyThreads(pid_t child) {
  const int threads = ThreadsOf(InnermostOf(child));
  if (threads <= kMaxThreads) return false;
  std::fprintf(stderr, "tidemill-plugin-host: the plug-in has %d threads; %d is the most\n",
               threads, kMaxThreads);
  return true;
}

// Ends the innermost process first. bubblewrap that is killed waits for nothing, and the processor
// time of a process without a wait is in no account.
void End(pid_t child, const Descriptor& ended) {
  kill(InnermostOf(child), SIGKILL);
  pollfd polled{ended.number(), POLLIN, 0};
  if (poll(&polled, 1, kLastMillis) <= 0) kill(child, SIGKILL);
}

// bubblewrap's outer process does not wait for the inner one, which then is a child of the warden.
void WaitForOthers() {
  for (int i = 0; i < kLastMillis && waitpid(-1, nullptr, WNOHANG) >= 0; ++i) {
    poll(nullptr, 0, 1);
  }
}

// The owner sends this signal to a plug-in that takes too long.
Descriptor AskedWhere() {
  sigset_t asked;
  sigemptyset(&asked);
  sigaddset(&asked, kTellWhere);
  sigprocmask(SIG_BLOCK, &asked, nullptr);
  return Descriptor(signalfd(-1, &asked, SFD_CLOEXEC));
}

// Waits for the end of the child, and makes it end with the owner.
int Watch(pid_t child) {
  const Descriptor ended(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  const Descriptor asked = AskedWhere();
  while (ended.is_open()) {
    pollfd polled[] = {
        {kSocket, POLLRDHUP, 0}, {ended.number(), POLLIN, 0}, {asked.number(), POLLIN, 0}};
    const int ready = poll(polled, 3, kLookMillis);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && !HasTooManyThreads(child)) continue;
    if (polled[1].revents != 0) break;
    signalfd_siginfo from;
    if (polled[2].revents != 0 && read(asked.number(), &from, sizeof from) == sizeof from) {
      RequestTraceback(child);
    }
    if (ready > 0 && polled[0].revents == 0) continue;
    End(child, ended);
    break;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  WaitForOthers();
  return CodeOf(status);
}

}  // namespace

int RunWarden(const Options& options) {
  LeaveOwner(options.num_files);
  const absl::StatusOr<Program> program = InnerProgram(options);
  if (!program.ok()) {
    std::fprintf(stderr, "tidemill-plugin-host: %s\n",
                 std::string(program.status().message()).c_str());
    return kCannotRun;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t warden = getpid();
  const pid_t child = fork();
  if (child == 0) BeInner(*program, warden);
  if (child < 0) {
    std::perror("tidemill-plugin-host: cannot fork");
    return kCannotRun;
  }
  return Watch(child);
}

}  // namespace tidemill::plugin::host

#include "base/process/zygote.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/process/protocol.h"
#include "base/usage/account.h"
#include "base/whole_io.h"

namespace tidemill::process {
namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

absl::StatusOr<Pipe> MakePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return ResourceExhausted("pipe: {}", strerror(errno));
  return Pipe{Descriptor(fds[0]), Descriptor(fds[1])};
}

std::string Message(char what, int64_t number, const std::vector<std::string>& arguments) {
  std::string message(1, what);
  message.append(reinterpret_cast<const char*>(&number), sizeof(number));
  for (const std::string& argument : arguments) message.append(argument).push_back('\0');
  return message;
}

JobExit ParseExit(std::string_view line) {
  const auto number = [&line](size_t from) {
    int64_t value = 0;
    std::from_chars(line.data() + from, line.data() + line.size(), value);
    return value;
  };
  const size_t second = line.find(' ', line.find(' ') + 1);
  const int64_t nanos = second == line.npos ? 0 : number(second + 1);
  if (line.starts_with("code ")) {
    return {.code = static_cast<int>(number(5)), .processor_nanos = nanos};
  }
  if (line.starts_with("signal ")) {
    return {.signal = static_cast<int>(number(7)), .processor_nanos = nanos};
  }
  if (line.starts_with("lost ")) return {.lost = std::string(line.substr(5))};
  return {.lost = "the process that forked it has died"};
}

// Starts `program --zygote` with `socket` as its kInheritedFd, with no signal blocked or ignored
// and in its own process group, out of reach of a terminal's Ctrl-C.
absl::StatusOr<pid_t> Execute(const std::string& program,
                              const std::vector<std::string>& environment, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, kInheritedFd);
  // Nothing that the server has opened since is inherited.
  posix_spawn_file_actions_addclosefrom_np(&actions, kInheritedFd + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string name = program;
  std::string flag = "--zygote";
  char* const arguments[] = {name.data(), flag.data(), nullptr};
  std::vector<char*> variables;
  for (const std::string& variable : environment) {
    variables.push_back(const_cast<char*>(variable.c_str()));  // posix_spawn promises not to write.
  }
  variables.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments, variables.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  // It was there at first: an upgrade replaces it, or the machine has no room. Both pass.
  if (error != 0) return Unavailable("cannot start {}: {}", program, strerror(error));
  return pid;
}

std::vector<std::string> PresentEnvironment(const std::vector<std::string>& defaults) {
  std::vector<std::string> environment;
  for (const std::string& variable : defaults) {
    const std::string name = variable.substr(0, variable.find('='));
    if (getenv(name.c_str()) == nullptr) environment.push_back(variable);
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
  }
  return environment;
}

}  // namespace

std::string JobExit::Describe() const {
  if (code.has_value()) return fmt::format("exited with code {}", *code);
  if (signal.has_value()) {
    return fmt::format("was killed by signal {} ({})", *signal, strsignal(*signal));
  }
  return fmt::format("was lost: {}", lost);
}

Job::Job(std::shared_ptr<const LocalSocket> control, int64_t number, Descriptor report,
         Descriptor exit)
    : control_(std::move(control)),
      number_(number),
      report_(std::move(report)),
      exit_(std::move(exit)) {}

Job::~Job() { Kill(); }

std::optional<std::string> Job::ReadLine() {
  while (true) {
    if (const size_t end = buffered_.find('\n'); end != std::string::npos) {
      std::string line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return line;
    }
    char bytes[4096];
    const ssize_t size = ReadSome(report_.number(), bytes);
    if (size <= 0) return std::nullopt;
    buffered_.append(bytes, static_cast<size_t>(size));
  }
}

JobExit Job::Wait() {
  if (ended_.has_value()) return *ended_;
  std::string line;
  char bytes[256];
  for (ssize_t size = 0; (size = ReadSome(exit_.number(), bytes)) > 0;) {
    line.append(bytes, static_cast<size_t>(size));
  }
  ended_ = ParseExit(line);
  usage::Add({.job_nanos = ended_->processor_nanos});
  return *ended_;
}

void Job::End(int64_t grace_millis) { Send(kEndJob, {std::to_string(grace_millis)}); }

void Job::Kill() { Send(kKillJob, {}); }

void Job::Send(char what, const std::vector<std::string>& arguments) {
  const std::string message = Message(what, number_, arguments);
  control_->SendAndWait(std::as_bytes(std::span(message))).IgnoreError();
}

absl::StatusOr<std::unique_ptr<Zygote>> Zygote::Start(const std::string& program,
                                                      const std::vector<std::string>& defaults) {
  if (access(program.c_str(), X_OK) != 0) {
    return NotFound("there is no program {} that can be executed: {}", program, strerror(errno));
  }
  return std::unique_ptr<Zygote>(new Zygote(program, PresentEnvironment(defaults)));
}

Zygote::~Zygote() {
  MutexLock lock(mutex_);
  Reap();
}

pid_t Zygote::pid() const {
  MutexLock lock(mutex_);
  return pid_;
}

void Zygote::Reap() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
}

absl::Status Zygote::Launch() {
  Reap();
  ASSIGN_OR_RETURN(auto ends, LocalSocket::MakePair(LocalSocket::Kind::kPackets));
  control_ = std::make_shared<const LocalSocket>(std::move(ends.first));
  // Copied above kInheritedFd, since a descriptor copied onto itself would close at the exec.
  const Descriptor theirs(fcntl(ends.second.number(), F_DUPFD_CLOEXEC, kInheritedFd + 1));
  ASSIGN_OR_RETURN(pid_, Execute(program_, environment_, theirs.number()));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Job>> Zygote::Spawn(const std::vector<std::string>& arguments,
                                                   SpawnMode mode) {
  ASSIGN_OR_RETURN(Pipe report, MakePipe());
  ASSIGN_OR_RETURN(Pipe exit, MakePipe());
  MutexLock lock(mutex_);
  const int64_t number = next_number_++;
  const std::string message =
      Message(mode == SpawnMode::kFork ? kForkJob : kExecuteJob, number, arguments);
  if (message.size() > kMaxMessage) {
    return InvalidArgument("a job takes at most {} bytes of arguments", kMaxMessage);
  }
  const auto bytes = std::as_bytes(std::span(message));
  const std::array<int, 2> descriptors = {report.write.number(), exit.write.number()};
  if (pid_ == 0 || !control_->SendAndWait(bytes, descriptors).ok()) {
    RETURN_IF_ERROR(Launch());
    const absl::Status sent = control_->SendAndWait(bytes, descriptors);
    if (!sent.ok()) {
      return Unavailable("cannot reach the zygote of {}: {}", program_,
                         std::string(sent.message()));
    }
  }
  return std::unique_ptr<Job>(
      new Job(control_, number, std::move(report.read), std::move(exit.read)));
}

absl::StatusOr<JobExit> Zygote::Run(const std::vector<std::string>& arguments, SpawnMode mode,
                                    const LineSink& sink, const std::stop_token& stop) {
  TIDEMILL_CHECK(sink != nullptr);
  if (stop.stop_requested()) return Cancelled("it was stopped before it began");
  ASSIGN_OR_RETURN(const std::unique_ptr<Job> job, Spawn(arguments, mode));
  const std::stop_callback end(stop, [&] { grace_ > 0 ? job->End(grace_) : job->Kill(); });
  absl::Status heard;
  while (heard.ok()) {
    const std::optional<std::string> line = job->ReadLine();
    if (!line) break;
    heard = sink(*line);
  }
  if (!heard.ok()) job->Kill();
  JobExit exit = job->Wait();
  if (heard.ok() && exit.ok()) return exit;
  if (stop.stop_requested()) return Cancelled("stopped");
  RETURN_IF_ERROR(heard);
  return exit;
}

}  // namespace tidemill::process

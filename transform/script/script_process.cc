#include "transform/script/script_process.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/process/program_folder.h"

namespace tidemill::transform {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kProgram[] = "tidemill-transform-script";
// libtorch is large, and disks are slow when all is started at once.
constexpr Duration kLongestLoad{60'000'000};

absl::StatusOr<Descriptor> NewMemory(const char* name, int64_t bytes) {
  Descriptor memory(memfd_create(name, MFD_CLOEXEC));
  if (!memory.is_open() || ftruncate(memory.number(), bytes) != 0) {
    return ResourceExhausted("cannot get {} bytes of shared memory: {}", bytes, strerror(errno));
  }
  return memory;
}

absl::StatusOr<Descriptor> InMemory(const std::string& bytes) {
  ASSIGN_OR_RETURN(Descriptor memory,
                   NewMemory("tidemill-program", static_cast<int64_t>(bytes.size())));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t written =
        pwrite(memory.number(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return ResourceExhausted("cannot keep the program: {}", strerror(errno));
    at += static_cast<size_t>(written);
  }
  return memory;
}

std::vector<std::string> ArgumentsOf(const ScriptLayout& layout) {
  std::vector<std::string> arguments = {kProgram};
  for (const ColumnSchema& input : layout.inputs()) {
    arguments.insert(arguments.end(), {"--input", ToArgument(input)});
  }
  arguments.insert(arguments.end(), {"--output", ToArgument(layout.output())});
  return arguments;
}

}  // namespace

ScriptProcess::ScriptProcess(const ScriptLayout& layout, Duration timeout)
    : bytes_(layout.bytes()), timeout_(timeout) {}

absl::StatusOr<std::unique_ptr<ScriptProcess>> ScriptProcess::Start(const ScriptLayout& layout,
                                                                    const std::string& program,
                                                                    Duration timeout) {
  std::unique_ptr<ScriptProcess> started(new ScriptProcess(layout, timeout));
  ASSIGN_OR_RETURN(const Descriptor memory, NewMemory("tidemill-rows", layout.bytes()));
  ASSIGN_OR_RETURN(const Descriptor bytes, InMemory(program));
  RETURN_IF_ERROR(started->Map(memory.number()));
  RETURN_IF_ERROR(started->Launch(layout, memory, bytes));
  RETURN_IF_ERROR(started->AwaitReply(std::max(timeout, kLongestLoad)));
  return started;
}

absl::Status ScriptProcess::Map(int fd) {
  void* const mapped =
      mmap(nullptr, static_cast<size_t>(bytes_), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return ResourceExhausted("cannot map memory: {}", strerror(errno));
  memory_ = static_cast<std::byte*>(mapped);
  return absl::OkStatus();
}

absl::Status ScriptProcess::Launch(const ScriptLayout& layout, const Descriptor& memory,
                                   const Descriptor& program) {
  ASSIGN_OR_RETURN(auto ends, LocalSocket::MakePair(LocalSocket::Kind::kPackets));
  socket_ = std::move(ends.first);
  const LocalSocket theirs = std::move(ends.second);
  ASSIGN_OR_RETURN(const std::string folder, process::ProgramFolder());
  const std::string path = folder + "/" + kProgram;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::pair<int, int> places[] = {{theirs.number(), kScriptSocket},
                                        {memory.number(), kScriptMemory},
                                        {program.number(), kScriptProgram}};
  // Away from the numbers that they are about to have, and from those that they have, so that none
  // takes another's place.
  const int away = 1 + std::max({theirs.number(), memory.number(), program.number()});
  for (const auto& [fd, place] : places) {
    posix_spawn_file_actions_adddup2(&actions, fd, away + place);
  }
  for (const auto& [fd, place] : places) {
    posix_spawn_file_actions_adddup2(&actions, away + place, place);
    posix_spawn_file_actions_addclose(&actions, away + place);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> arguments = ArgumentsOf(layout);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int error =
      posix_spawn(&pid_, path.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return absl::OkStatus();
  pid_ = 0;
  return NotFound("cannot start {}, which runs programs of users: {}", path, strerror(error));
}

ScriptProcess::~ScriptProcess() {
  if (pid_ != 0) Terminate();
  if (memory_ != nullptr) munmap(memory_, static_cast<size_t>(bytes_));
}

absl::Status ScriptProcess::Run(int64_t num_blocks) {
  const ScriptRequest request{.num_blocks = num_blocks};
  if (pid_ == 0 || send(socket_.number(), &request, sizeof request, MSG_NOSIGNAL) < 0) {
    return Unavailable("its process is gone{}", pid_ == 0 ? "" : ": " + Terminate());
  }
  return AwaitReply(timeout_);
}

absl::Status ScriptProcess::AwaitReply(Duration timeout) {
  const auto end = Clock::now() + std::chrono::microseconds(timeout.micros);
  ScriptReply reply;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd events{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    const int ready = poll(&events, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      Terminate();
      return Unavailable("it took longer than {} s", static_cast<double>(timeout.micros) / 1e6);
    }
    const ssize_t size = recv(socket_.number(), &reply, sizeof reply, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size != sizeof reply) return Unavailable("its process died: {}", Terminate());
    if (reply.is_good != 0) return absl::OkStatus();
    reply.reason[sizeof reply.reason - 1] = '\0';
    return InvalidArgument("{}", reply.reason);
  }
}

std::string ScriptProcess::Terminate() {
  int status = 0;
  // One that has died keeps its own end; one that hangs does not outlive this.
  kill(pid_, SIGKILL);
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  socket_ = LocalSocket();
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace tidemill::transform

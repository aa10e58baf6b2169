#include "engine/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "base/printable.h"
#include "base/whole_io.h"

// The three streams of the program are files in memory, so that no pipe can fill up:
//
//   input --> memory --> stdin [program] stdout --> memory --> result
//                                        stderr --> memory --> message of an error

namespace tidemill::engine {
namespace {

constexpr size_t kMostOutput = size_t{16} << 20;
constexpr size_t kMostComplaint = 2'000;

absl::StatusOr<Descriptor> MemoryFile(std::string_view content) {
  Descriptor file(memfd_create("program", MFD_CLOEXEC));
  if (!file.is_open()) return Unavailable("no memory for a file: {}", std::strerror(errno));
  if (!WriteWhole(file.number(), content)) {
    return Unavailable("cannot write to memory: {}", std::strerror(errno));
  }
  lseek(file.number(), 0, SEEK_SET);
  return file;
}

absl::StatusOr<std::string> Content(const Descriptor& file, size_t most) {
  const off_t size = lseek(file.number(), 0, SEEK_END);
  std::string text(std::min(static_cast<size_t>(std::max<off_t>(size, 0)), most), '\0');
  const ssize_t got = pread(file.number(), text.data(), text.size(), 0);
  if (got < 0) return Unavailable("cannot read what it wrote: {}", std::strerror(errno));
  text.resize(static_cast<size_t>(got));
  return text;
}

// Where the streams of a program go, and the signals and the group with which it begins.
class SpawnPlan {
 public:
  SpawnPlan(int in, int out, int err) {
    posix_spawn_file_actions_init(&actions_);
    const int streams[] = {in, out, err};
    for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&actions_, streams[i], i);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  absl::StatusOr<pid_t> Spawn(const std::vector<std::string>& arguments,
                              std::vector<std::string> variables) const {
    std::vector<char*> words;
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
    environment.push_back(nullptr);
    pid_t child = 0;
    const int error =
        posix_spawnp(&child, words[0], &actions_, &attributes_, words.data(), environment.data());
    if (error == ENOENT) return NotFound("there is no program {}", arguments[0]);
    if (error != 0) return Unavailable("cannot start {}: {}", arguments[0], std::strerror(error));
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Returns the status that waitpid() gives. Kills the program's group when it is late.
absl::StatusOr<int> Await(pid_t child, std::chrono::milliseconds timeout) {
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  pollfd ended = {.fd = process.number(), .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&ended, 1, static_cast<int>(timeout.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (ready <= 0) return Unavailable("it takes longer than {} ms", timeout.count());
  return status;
}

}  // namespace

absl::StatusOr<std::string> RunProgram(const std::vector<std::string>& arguments,
                                       const ProgramOptions& options) {
  if (arguments.empty()) return InvalidArgument("there is no program to run");
  ASSIGN_OR_RETURN(const Descriptor in, MemoryFile(options.input));
  ASSIGN_OR_RETURN(const Descriptor out, MemoryFile(""));
  ASSIGN_OR_RETURN(const Descriptor err, MemoryFile(""));
  const SpawnPlan plan(in.number(), out.number(), err.number());
  ASSIGN_OR_RETURN(const pid_t child, plan.Spawn(arguments, options.variables));
  const auto status = Await(child, options.timeout);
  if (!status.ok()) return Annotate(status.status(), arguments[0]);
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    const std::string how = WIFEXITED(*status)
                                ? fmt::format("ended with code {}", WEXITSTATUS(*status))
                                : fmt::format("was ended by signal {}", WTERMSIG(*status));
    ASSIGN_OR_RETURN(const std::string complaint, Content(err, kMostComplaint));
    return Unavailable("{} {}: {}", arguments[0], how,
                       complaint.empty() ? "it wrote no reason" : Printable(complaint));
  }
  ASSIGN_OR_RETURN(std::string output, Content(out, kMostOutput + 1));
  if (output.size() > kMostOutput) {
    return ResourceExhausted("{} wrote more than {} MiB", arguments[0], kMostOutput >> 20);
  }
  return output;
}

}  // namespace tidemill::engine

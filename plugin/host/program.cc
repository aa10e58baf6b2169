#include "plugin/host/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.h"
#include "plugin/host/options.h"

namespace tidemill::plugin::host {
namespace {

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void RunInto(const Program& program, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  close_range(kSocket, ~0U, 0);
  Execute(program);
  _exit(kCannotRun);
}

std::string ReadAll(int descriptor) {
  std::string text;
  char bytes[4096];
  while (true) {
    const ssize_t size = read(descriptor, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(bytes, static_cast<size_t>(size));
  }
}

}  // namespace

std::vector<std::string> PluginEnvironment(int num_threads) {
  const std::string threads = std::to_string(num_threads);
  return {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/nonexistent", "TMPDIR=/tmp",
          // A plug-in's numbers must not depend on the processors of a machine.
          "OPENBLAS_NUM_THREADS=" + threads, "OMP_NUM_THREADS=" + threads,
          "MKL_NUM_THREADS=" + threads, "PYTHONDONTWRITEBYTECODE=1"};
}

std::vector<std::string> OwnEnvironment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  return variables;
}

void Execute(const Program& program) {
  std::vector<std::string> arguments = {program.path};
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  std::vector<std::string> environment = program.environment;
  execve(program.path.c_str(), Pointers(arguments).data(), Pointers(environment).data());
}

absl::StatusOr<std::string> OutputOf(const Program& program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ResourceExhausted("no pipe: {}", strerror(errno));
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  const pid_t child = fork();
  if (child == 0) RunInto(program, input.number());
  if (child < 0) return ResourceExhausted("cannot fork: {}", strerror(errno));
  input.Close();
  std::string text = ReadAll(output.number());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status != 0) return FailedPrecondition("{} does not work", program.path);
  return text;
}

absl::StatusOr<std::string> FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "/usr/bin:/bin";
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    std::string candidate = folders.substr(begin, end - begin) + "/" + name;
    if (end > begin && access(candidate.c_str(), X_OK) == 0) return candidate;
    begin = end + 1;
  }
  return NotFound("there is no program {}", name);
}

}  // namespace tidemill::plugin::host

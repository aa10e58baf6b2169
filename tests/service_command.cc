#include "tests/service_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <vector>

#include "tests/stack.h"

namespace tidemill::tests {

pid_t StartService(const ServiceCommand& command) {
  const std::string program = ProgramFolder() + "/" + command.program;
  std::vector<const char*> words = {program.c_str(), "--config", command.config.c_str()};
  if (!command.listen.empty()) words.insert(words.end(), {"--listen", command.listen.c_str()});
  words.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const int out = open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  if (command.prepare) command.prepare();
  execv(program.c_str(), const_cast<char**>(words.data()));
  _exit(127);
}

}  // namespace tidemill::tests

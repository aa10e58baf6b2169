#include "tests/own_service.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "base/files.h"

namespace tidemill::tests {
namespace {

// The configuration of the stack with another state folder.
std::string ConfigWith(const Stack& stack, const std::string& state) {
  std::string config = files::Read(stack.state() + "/tidemill.yaml").value();
  if (state.empty()) return config;
  constexpr std::string_view kKey = "state_folder:";
  const size_t begin = config.find(kKey);
  const size_t end = config.find('\n', begin);
  return config.replace(begin, end - begin, std::string(kKey) + " " + state);
}

}  // namespace

OwnService::OwnService(const Stack& stack, Options options)
    : options_(std::move(options)),
      config_(stack.files() + "/" + options_.name + ".yaml"),
      log_(stack.state() + "/logs/" + options_.name + ".log") {
  std::ofstream(config_) << ConfigWith(stack, options_.state) << "\n" << options_.section;
  Start();
}

OwnService::~OwnService() { Kill(); }

void OwnService::Start() {
  const std::string program = ProgramFolder() + "/" + options_.program;
  const int parent = getpid();
  process_ = fork();
  if (process_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const int out = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execl(program.c_str(), program.c_str(), "--config", config_.c_str(), "--listen",
        options_.listen.c_str(), nullptr);
  _exit(127);
}

void OwnService::Kill() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

}  // namespace tidemill::tests

#include "tests/own_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "fmt/format.h"

#include "base/files.h"

namespace tidemill::tests {

OwnWorker::OwnWorker(const Stack& stack, const std::string& name, const std::string& listen,
                     const std::string& section) {
  const std::string config = stack.files() + "/" + name + ".yaml";
  std::ofstream(config) << files::Read(stack.state() + "/tidemill.yaml").value()
                        << "\npreprocess_worker:\n  name: " << name << "\n"
                        << section;
  const std::string program = ProgramFolder() + "/tidemill-preprocess-worker";
  const std::string log = stack.state() + "/logs/" + name + ".log";
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execl(program.c_str(), program.c_str(), "--config", config.c_str(), "--listen", listen.c_str(),
          nullptr);
    _exit(127);
  }
}

OwnWorker::~OwnWorker() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

DistantWorker::DistantWorker(const Stack& stack, const Throttle& throttle)
    : port_(FreePort()),
      proxy_(port_, throttle),
      worker_(stack, "distant", fmt::format("127.0.0.1:{}", port_),
              fmt::format("  endpoint: {}\n", proxy_.endpoint())) {}

}  // namespace tidemill::tests

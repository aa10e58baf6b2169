#include "tests/own_service.h"

#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <utility>

#include "base/files.h"
#include "tests/service_command.h"

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
  process_ = StartService(
      {.program = options_.program, .config = config_, .log = log_, .listen = options_.listen});
}

void OwnService::Kill() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

}  // namespace tidemill::tests

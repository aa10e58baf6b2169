// How tests start the program of a service.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>

namespace tidemill::tests {

struct ServiceCommand {
  std::string program;  // "tidemill-storage"
  std::string config;   // The path of its configuration.
  std::string log;      // The file that gets what it writes.
  // Where it listens; as the configuration says when it is empty.
  std::string listen = {};
  std::map<std::string, std::string> environment = {};
  // Called in the new process, after the log has been opened and before the program begins.
  std::function<void()> prepare = {};
};

// Starts it. It is killed when the thread that has called this ends. Returns its process, which the
// caller waits for.
pid_t StartService(const ServiceCommand& command);

}  // namespace tidemill::tests

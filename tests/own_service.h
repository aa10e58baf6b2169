// Services besides those of a stack, each with its own configuration.
#pragma once

#include <string>

#include "tests/stack.h"

namespace tidemill::tests {

// A service that registers with a stack. It ends with this object, as if it were killed.
// Thread-compatible.
class OwnService {
 public:
  struct Options {
    std::string program;  // "tidemill-preprocess-worker"
    std::string name;     // Its files have this name.
    std::string listen;
    // Its state folder; that of the stack when it is empty.
    std::string state = {};
    // The lines of its own section.
    std::string section = {};
  };

  // Starts it.
  OwnService(const Stack& stack, Options options);
  ~OwnService();
  OwnService(const OwnService&) = delete;
  OwnService& operator=(const OwnService&) = delete;

  int process() const { return process_; }
  // Kills it with SIGKILL, and starts it again.
  void Kill();
  void Start();

 private:
  const Options options_;
  const std::string config_;
  const std::string log_;
  int process_ = 0;
};

}  // namespace tidemill::tests

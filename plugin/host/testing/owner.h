// An owner of a host, for tests: starts the built program as services do, and asks it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/descriptor.h"

namespace tidemill::plugin::host::testing {

// Thread-compatible. The host ends with it.
class Owner {
 public:
  struct How {
    std::string file = {};
    std::string sandbox = "none";
    std::string language = "c++";
    std::string memory = "268435456";
    std::vector<std::string> more = {};
  };

  // Waits for its hello.
  explicit Owner(const How& how);
  ~Owner();
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  // Null when the host has ended.
  const nlohmann::json& hello() const { return hello_; }
  pid_t pid() const { return pid_; }
  // The columns of requests.
  std::span<std::byte> memory() const { return memory_; }
  // The columns of answers.
  std::span<const std::byte> answers() const { return answers_; }

  // The answer; null when the host ends over it.
  nlohmann::json Call(const nlohmann::json& request);
  // Asks and does not wait.
  void Ask(const nlohmann::json& request);

  // Lets go of the host if it still runs, and waits for its code.
  int End();
  // What it has printed until it ended.
  std::string Printed();

 private:
  nlohmann::json Receive();

  Descriptor socket_;
  Descriptor printed_;
  std::span<std::byte> memory_;
  std::span<std::byte> answers_;
  nlohmann::json hello_;
  pid_t pid_ = 0;
  int code_ = -1;
};

// The process and all that descend from it.
std::vector<pid_t> FamilyOf(pid_t pid);
// Waits for the end of a process that need not be a child of this one. False: it still runs after
// 20 s.
bool Ends(pid_t pid);

}  // namespace tidemill::plugin::host::testing

// Drives the `tidemill` command as its users do: real processes, a state folder of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "rpc/channel.h"
#include "rpc/tokens.h"

namespace tidemill::tests {

// What a command answered.
struct CommandResult {
  int exit_code = -1;
  std::string out;
  std::string err;

  // The last line of `out` as JSON.
  nlohmann::json Json() const;
};

// Runs the `tidemill` beside this test with these variables added to the environment; its output
// goes through files in `scratch`.
CommandResult RunTidemill(const std::vector<std::string>& words,
                          const std::map<std::string, std::string>& environment,
                          const std::string& scratch);

// The folder of the programs: tests lie beside them.
std::string ProgramFolder();

// A local stack in a fresh folder below /tmp; the destructor stops it and removes all it left.
// Thread-compatible.
class Stack {
 public:
  Stack();
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // Runs `tidemill <words> --state <folder>` with these variables added to the environment.
  CommandResult Tidemill(const std::vector<std::string>& words,
                         const std::map<std::string, std::string>& environment = {}) const;

  // How to call one of its services, by the name that `tidemill status` gives it.
  rpc::Peer PeerOf(const std::string& service, rpc::v1::Role role = rpc::v1::ROLE_SERVICE) const;

  // The process ids of the stack's members whose program is called `name`
  // ("tidemill-storage", "postgres", "tidemill"); every member when empty.
  std::vector<int> Processes(const std::string& name = "") const;

  // kill -9 of all of them, at once. Returns how many there were.
  int KillAll() const;

  // The state folder, and a folder for a test's own files.
  const std::string& state() const { return state_; }
  const std::string& files() const { return files_; }

  // The end of every service's log, for messages of failing tests.
  std::string Logs() const;

 private:
  std::string root_;
  std::string state_;
  std::string files_;
};

// A CSV dataset with drifting classes, and a pipeline over it that takes a few seconds: 1,200
// samples, one a minute, an mlp, an evaluation. Written to `folder`; returns the pipeline's path.
// Of the same text and bytes at every call.
std::string WriteSmallPipeline(const std::string& folder,
                               const std::string& trigger = "{type: amount, samples: 250}");

}  // namespace tidemill::tests

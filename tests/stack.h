// Runs the `tidemill` command as its users do: real processes, and its own state folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "rpc/access/tokens.h"
#include "rpc/channel.h"

namespace tidemill::tests {

// The result of a command.
struct CommandResult {
  int exit_code = -1;
  std::string out;
  std::string err;

  // The last line of `out` as JSON.
  nlohmann::json Json() const;
};

// A `tidemill` beside this test that runs while the test does something else. The destructor kills
// a command that has not ended, so a test that fails does not wait for it. Commands may run side by
// side. Thread-compatible.
class RunningCommand {
 public:
  // Starts it with these additional environment variables. Its output goes through files in
  // `scratch`.
  RunningCommand(const std::vector<std::string>& words,
                 const std::map<std::string, std::string>& environment, const std::string& scratch);
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  // What it has said on stderr until now.
  std::string SaidSoFar() const;
  // Does what Ctrl-C does.
  void Interrupt() const;
  // Waits until it ends. To be called once.
  CommandResult Result();

 private:
  std::string out_;
  std::string err_;
  int process_ = 0;
};

// Runs a command to its end.
CommandResult RunTidemill(const std::vector<std::string>& words,
                          const std::map<std::string, std::string>& environment,
                          const std::string& scratch);

// Returns the folder of the programs. Tests are in the same folder.
std::string ProgramFolder();

// A local stack in a new folder below /tmp. The destructor stops it and removes everything it left.
// Thread-compatible.
class Stack {
 public:
  Stack();
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // Runs `tidemill <words> --state <folder>` with these additional environment variables.
  CommandResult Tidemill(const std::vector<std::string>& words,
                         const std::map<std::string, std::string>& environment = {}) const;

  // Returns the peer of one of its services, by its name in `tidemill status`.
  rpc::Peer PeerOf(const std::string& service, rpc::v1::Role role = rpc::v1::ROLE_SERVICE) const;

  // Returns the process ids of the stack's members whose program is `name` ("tidemill-storage",
  // "postgres", "tidemill"). Returns every member when `name` is empty.
  std::vector<int> Processes(const std::string& name = "") const;

  // Does kill -9 to all of them at once. Returns their number.
  int KillAll() const;

  // The state folder, and a folder for a test's own files.
  const std::string& state() const { return state_; }
  const std::string& files() const { return files_; }

  // Returns the end of every service's log, for messages of failing tests.
  std::string Logs() const;

 private:
  std::string root_;
  std::string state_;
  std::string files_;
  mutable nlohmann::json endpoints_;
};

// Writes to `folder` a CSV dataset with drifting classes, and a pipeline over it that takes a few
// seconds: 1,200 samples, one a minute, an mlp, an evaluation. Returns the path of the pipeline.
// Text and bytes are the same at every call.
std::string WriteSmallPipeline(const std::string& folder,
                               const std::string& trigger = "{type: amount, samples: 250}");

// The same with a training that trains another model, scores and chooses.
std::string WriteDownsamplingPipeline(const std::string& folder);

}  // namespace tidemill::tests

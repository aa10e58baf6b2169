// What a training gives up before a network of a user runs in its process.
#pragma once

#include <string>

#include "base/status.h"
#include "transform/graph_spec.h"

namespace tidemill::trainer_server {

struct SandboxedTraining {
  // It writes there, and reads what lies beside it, of the same run.
  std::string folder = {};
  transform::GraphSpec graph = {};
  // Another part of it starts processes: a plug-in that scores samples.
  bool starts_processes = false;
  // Drivers of a GPU open devices at any time.
  bool uses_gpu = false;
};

// Call it when all is open that the training needs beside these files and its services, and before
// the network is made. From then on the calling thread and those that it starts reach no other
// file, and the process starts no other and signals none. A training that starts processes keeps
// its rights: what runs in them has a sandbox of its own. FAILED_PRECONDITION where the kernel has
// no sandbox, unless an administrator has written `sandbox: none`.
absl::Status EnterNetworkSandbox(const SandboxedTraining& training);

}  // namespace tidemill::trainer_server

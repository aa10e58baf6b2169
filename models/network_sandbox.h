// What a job gives up before a network of a user runs in its process.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "transform/graph_spec.h"

namespace tidemill::models {

struct SandboxedJob {
  // Folders of its own, with what it still reads and what it still writes.
  std::vector<std::string> readable = {};
  std::vector<std::string> writable = {};
  transform::GraphSpec graph = {};
  // Another part of it starts processes: a plug-in that scores samples or measures models.
  bool starts_processes = false;
  // Drivers of a GPU open devices at any time.
  bool uses_gpu = false;
};

// Call it when all is open that the job needs beside these files and its services, and before the
// network is made. From then on the calling thread and those that it starts reach no other file,
// and the process starts no other and signals none. A job that starts processes keeps its rights:
// what runs in them has a sandbox of its own. FAILED_PRECONDITION where the kernel has no sandbox,
// unless an administrator has written `sandbox: none`.
absl::Status EnterNetworkSandbox(const SandboxedJob& job);

}  // namespace tidemill::models

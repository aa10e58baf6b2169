// Restricts a job before a user's network runs in its process.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "transform/graph_spec.h"

namespace tidemill::models {

struct SandboxedJob {
  // The job's folders, which it may still read or write.
  std::vector<std::string> readable = {};
  std::vector<std::string> writable = {};
  transform::GraphSpec graph = {};
  // Whether another part of the job starts processes: a plug-in that scores samples or measures
  // models.
  bool starts_processes = false;
  // Drivers of a GPU open devices at any time.
  bool uses_gpu = false;
};

// Call it after opening everything that the job needs besides these files and its services, and
// before making the network. From then on the calling thread and the threads that it starts can
// open no other file, and the process can neither start nor signal another process. A job that
// starts processes keeps its rights: those processes have their own sandbox. FAILED_PRECONDITION
// where the kernel has no sandbox, unless an administrator has written `sandbox: none`.
absl::Status EnterNetworkSandbox(const SandboxedJob& job);

}  // namespace tidemill::models

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
  // Whether another part of the job starts plug-ins, which score samples or measure models.
  bool starts_plugins = false;
  // The driver of a GPU opens its devices and its own descriptions at any time: the job may, too.
  bool uses_gpu = false;
};

// Call it after opening everything that the job needs besides these files and its services, and
// before making the network. From then on the calling thread and the threads that it starts can
// open no other file, and the process can neither start nor signal another process. A job with the
// op `torchscript` can start programs, which are as restricted. A job that starts plug-ins keeps
// its rights: those processes have their own sandbox, which no restricted process can make.
// FAILED_PRECONDITION if the kernel has no sandbox, unless an administrator has written `sandbox:
// none`.
absl::Status EnterNetworkSandbox(const SandboxedJob& job);

}  // namespace tidemill::models

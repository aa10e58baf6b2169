#include "trainer_server/job/network_sandbox.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/log.h"
#include "base/sandbox/allowed_files.h"
#include "base/sandbox/system_calls.h"
#include "models/torch_files.h"
#include "plugin/spec/host_settings.h"

namespace tidemill::trainer_server {
namespace {

// Ops that run in processes of their own.
bool StartsProcesses(const transform::GraphSpec& graph) {
  return std::ranges::any_of(graph, [](const auto& op) {
    return op.value.type() == "torchscript" || op.value.type() == "plugin";
  });
}

// What names of services are found by, when a connection is made again.
std::vector<std::string> FilesOfNames() {
  return {"/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf",
          "/etc/gai.conf"};
}

absl::Status RestrictFilesTo(const std::string& folder) {
  sandbox::AllowedFiles files{
      .readable = sandbox::SystemFolders(), .writable = {folder}, .may_use_network = true};
  for (auto more : {models::TorchFiles(), FilesOfNames(), {files::Join(folder, "..")}}) {
    std::ranges::move(more, std::back_inserter(files.readable));
  }
  return sandbox::RestrictFiles(files);
}

}  // namespace

absl::Status EnterNetworkSandbox(const SandboxedTraining& training) {
  if (training.starts_processes || StartsProcesses(training.graph)) {
    log::Info("the network runs without a sandbox, because this training starts processes",
              {{"folder", training.folder}});
    return absl::OkStatus();
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return FailedPrecondition("cannot give up new rights: {}", strerror(errno));
  }
  const bool is_apart = plugin::HostSettings::OfThisProcess().sandbox != "none";
  if (is_apart && !training.uses_gpu) {
    RETURN_IF_ERROR(Annotate(RestrictFilesTo(training.folder),
                             "no sandbox for networks from files works on this machine (an "
                             "administrator may write cluster.plugins.sandbox: none)"));
  }
  return sandbox::RefuseSystemCallsOfJob();
}

}  // namespace tidemill::trainer_server

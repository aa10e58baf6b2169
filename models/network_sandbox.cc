#include "models/network_sandbox.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "base/process/program_folder.h"
#include "base/sandbox/allowed_files.h"
#include "base/sandbox/system_calls.h"
#include "models/torch/torch_files.h"
#include "plugin/spec/host_settings.h"

namespace tidemill::models {
namespace {

bool HasOp(const transform::GraphSpec& graph, std::string_view type) {
  return std::ranges::any_of(graph, [&](const auto& op) { return op.value.type() == type; });
}

// The files by which names of services are resolved when a connection is made again.
std::vector<std::string> FilesOfNames() {
  return {"/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf",
          "/etc/gai.conf"};
}

absl::Status RestrictFilesOf(const SandboxedJob& job, sandbox::MayStart may_start) {
  sandbox::AllowedFiles files{
      .readable = sandbox::SystemFolders(), .writable = job.writable, .may_use_network = true};
  if (may_start == sandbox::MayStart::kYes) {
    ASSIGN_OR_RETURN(std::string programs, process::ProgramFolder());
    files.readable.push_back(std::move(programs));
  }
  for (auto more : {TorchFiles(), FilesOfNames(), job.readable}) {
    std::ranges::move(more, std::back_inserter(files.readable));
  }
  if (job.uses_gpu) {
    std::ranges::move(GpuFiles(), std::back_inserter(files.readable));
    std::ranges::move(GpuDevices(), std::back_inserter(files.writable));
  }
  return sandbox::RestrictFiles(files);
}

}  // namespace

absl::Status EnterNetworkSandbox(const SandboxedJob& job) {
  if (job.starts_plugins || HasOp(job.graph, "plugin")) {
    log::Info("the network runs without a sandbox, because this job starts plug-ins");
    return absl::OkStatus();
  }
  // The op runs in its own process, which is started again when it ends.
  const auto may_start =
      HasOp(job.graph, "torchscript") ? sandbox::MayStart::kYes : sandbox::MayStart::kNo;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return FailedPrecondition("cannot forbid new privileges: {}", strerror(errno));
  }
  const bool is_apart = plugin::HostSettings::OfThisProcess().sandbox != "none";
  if (is_apart) {
    RETURN_IF_ERROR(Annotate(RestrictFilesOf(job, may_start),
                             "no sandbox for networks from files works on this machine (an "
                             "administrator may write cluster.plugins.sandbox: none)"));
  }
  return sandbox::RefuseSystemCallsOfJob(may_start);
}

}  // namespace tidemill::models

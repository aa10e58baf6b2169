#include "plugin/host/inner.h"

#include <cstdio>
#include <string>

#include "base/sandbox/allowed_files.h"
#include "base/sandbox/system_calls.h"
#include "base/status.h"
#include "plugin/host/limits.h"
#include "plugin/host/program.h"
#include "plugin/host/python.h"
#include "plugin/host/server.h"

namespace tidemill::plugin::host {
namespace {

using sandbox::MayExecute;
using sandbox::RefuseSystemCalls;

// Used when nothing else protects the machine's files from it.
absl::Status RestrictFilesTo(const std::vector<std::string>& folders) {
  sandbox::AllowedFiles files{.readable = sandbox::SystemFolders()};
  files.readable.insert(files.readable.end(), folders.begin(), folders.end());
  return sandbox::RestrictFiles(files);
}

// Returns only when it fails.
absl::Status Run(const Options& options) {
  RETURN_IF_ERROR(LimitThisProcess(options.memory));
  if (options.inside == "landlock") RETURN_IF_ERROR(RestrictFilesTo(options.folders));
  if (options.language == "python") {
    RETURN_IF_ERROR(RefuseSystemCalls(MayExecute::kYes));
    const Program python = PythonHost(options);
    Execute(python);
    return NotFound("cannot start {}", python.path);
  }
  ASSIGN_OR_RETURN(Server server, Server::Create(options.inside));
  // Before the file is loaded, because loading runs code of the user.
  RETURN_IF_ERROR(RefuseSystemCalls(MayExecute::kNo));
  server.Run();
}

}  // namespace

int RunInner(const Options& options) {
  const absl::Status failure = Run(options);
  std::fprintf(stderr, "tidemill-plugin-host: %s\n", std::string(failure.message()).c_str());
  return kCannotRun;
}

}  // namespace tidemill::plugin::host

#include "plugin/host/inner.h"

#include <cstdio>
#include <string>

#include "base/status.h"
#include "plugin/host/limits.h"
#include "plugin/host/program.h"
#include "plugin/host/python.h"
#include "plugin/host/server.h"
#include "plugin/host/system_calls.h"

namespace tidemill::plugin::host {
namespace {

// Returns only when it fails.
absl::Status Run(const Options& options) {
  RETURN_IF_ERROR(LimitThisProcess(options.memory));
  if (options.language == "python") {
    RETURN_IF_ERROR(RefuseSystemCalls(MayExecute::kYes));
    const Program python = PythonHost(options);
    Execute(python);
    return NotFound("cannot start {}", python.path);
  }
  ASSIGN_OR_RETURN(Server server, Server::Create(options.inside));
  // Before the file is loaded: that runs code of the user's.
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

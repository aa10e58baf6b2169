// Where the plug-in runs: in a sandbox of bubblewrap, in one of Landlock, or as a plain process
// with limits.
#pragma once

#include "base/status.h"
#include "plugin/host/options.h"
#include "plugin/host/program.h"

namespace tidemill::plugin::host {

// What the child of the warden has to become. In both sandboxes there are of the disk only /usr,
// this program, and where Python's modules lie, all read-only; and no network. FAILED_PRECONDITION
// or NOT_FOUND when what is asked for does not work here, "auto" finds no sandbox that does, or
// there is no such Python.
absl::StatusOr<Program> InnerProgram(const Options& options);

}  // namespace tidemill::plugin::host

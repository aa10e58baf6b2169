// The sandbox of a plug-in: bubblewrap, Landlock, or a plain process with limits.
#pragma once

#include "base/status.h"
#include "plugin/host/options.h"
#include "plugin/host/program.h"

namespace tidemill::plugin::host {

// Returns the program that the child of the warden executes. Both sandboxes see only /usr, this
// program and the folders of Python's modules, all read-only, and no network. FAILED_PRECONDITION
// or NOT_FOUND when the requested sandbox does not work here, when "auto" finds none that works, or
// when there is no such Python.
absl::StatusOr<Program> InnerProgram(const Options& options);

}  // namespace tidemill::plugin::host

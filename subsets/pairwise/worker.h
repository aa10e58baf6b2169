// A worker process of pairwise selection: it does one task and ends.
#pragma once

#include <string>
#include <vector>

#include "base/process/job_program.h"

namespace tidemill::subsets {

// Runs a worker process. The arguments are a folder, the bytes of memory that it may have, and a
// task. It reports one line, and returns the process's exit code.
int RunWorkerJob(const std::vector<std::string>& arguments, process::Report& report);

}  // namespace tidemill::subsets

// A worker process of pairwise selection: does one task and ends.
#pragma once

#include <string>
#include <vector>

#include "base/process/job_program.h"

namespace tidemill::subsets {

// What a worker process does: the arguments are a folder, the bytes of memory it may have, and a
// task. It reports one line, and returns the process's exit code.
int RunWorkerJob(const std::vector<std::string>& arguments, process::Report& report);

}  // namespace tidemill::subsets

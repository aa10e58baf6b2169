// The work of one tidemill-train process: a fit or a training in the folder of its trigger.
#pragma once

#include <string>
#include <vector>

#include "base/process/job_program.h"

namespace tidemill::trainer_server {

// Runs `{"fit", FOLDER, DEVICE}` or `{"train", FOLDER, DEVICE}`; see job_folder.h for what it reads
// and writes. DEVICE is a JobDevice as JSON.
// Reports WatchTrainingResponse messages as JSON. Returns 0 when it succeeds, and returns 0 at once
// when the job is already done. Otherwise reports the error and returns kExitCodeBase + its status
// code.
int RunTrainJob(const std::vector<std::string>& arguments, process::Report& report);

}  // namespace tidemill::trainer_server

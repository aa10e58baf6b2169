// What tidemill-train does in one process: a fit or a training, in the folder of its trigger.
#pragma once

#include <string>
#include <vector>

#include "base/process/job_program.h"

namespace tidemill::trainer_server {

// Runs `{"fit", FOLDER}` or `{"train", FOLDER}`; see job_folder.h for what is read and written.
// Reports WatchTrainingResponse messages as JSON. Returns 0, or kExitCodeBase + a status code after
// a report that names the error. A job whose work is done returns 0 at once.
int RunTrainJob(const std::vector<std::string>& arguments, process::Report& report);

}  // namespace tidemill::trainer_server

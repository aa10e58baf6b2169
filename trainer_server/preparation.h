// Decides how many threads and how much memory a training's process may use to prepare samples.
#pragma once

#include <string>

#include "tidemill/trainer_server/v1/job.pb.h"
#include "trainer_server/trainer_config.h"

namespace tidemill::trainer_server {

// Divides the cores of the machine and the configured memory by the number of trainings that may
// run at once, on processors or on GPUs, whichever is greater. Threads that prepare samples have a
// lower priority than threads of the arithmetic.
v1::Preparation PreparationFor(const TrainerConfig& config, int num_gpus, int num_cores);

// Adds where the trainings of this stack share rows (loader::SharedFolderOf()), and removes what
// dead trainings left there.
v1::Preparation WithSharing(v1::Preparation preparation, const std::string& share_folder);

}  // namespace tidemill::trainer_server

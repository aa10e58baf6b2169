// With how many threads and how much memory a training's own process prepares samples.
#pragma once

#include "tidemill/trainer_server/v1/job.pb.h"
#include "trainer_server/trainer_config.h"

namespace tidemill::trainer_server {

// The cores of the machine, and the memory of the configuration, shared by the trainings that may
// run at once on processors or on GPUs, whichever are more. Threads beside the arithmetic's own
// give way to it.
v1::Preparation PreparationFor(const TrainerConfig& config, int num_cores);

}  // namespace tidemill::trainer_server

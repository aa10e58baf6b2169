// The checkpoint of a training: one safetensors file with everything that later steps depend on.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "trainer_server/training/learner.h"
#include "trainer_server/training/training_setup.h"
#include "trainer_server/training/training_state.h"

namespace tidemill::trainer_server {

// Writes the network and its optimiser, torch's generators, the state, and the number of threads.
absl::StatusOr<std::string> WriteCheckpoint(const TrainingSetup& setup, const TrainingState& state,
                                            Learner& learner);

// Continues from a checkpoint: fills `state` and begins with its network. DATA_LOSS when it is not
// a checkpoint. FAILED_PRECONDITION when it is of another network or another number of threads.
absl::Status ReadCheckpoint(std::string_view checkpoint, const TrainingSetup& setup,
                            TrainingState& state, Learner& learner);

}  // namespace tidemill::trainer_server

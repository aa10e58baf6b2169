// Checkpoints of a training: one safetensors file with all that later steps depend on.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "trainer_server/training/learner.h"
#include "trainer_server/training/training_setup.h"
#include "trainer_server/training/training_state.h"

namespace tidemill::trainer_server {

// The network and its optimiser, torch's generators, the state, and the number of threads.
absl::StatusOr<std::string> WriteCheckpoint(const TrainingSetup& setup, const TrainingState& state,
                                            Learner& learner);

// Goes on from there: fills `state` and begins with the network. DATA_LOSS for something else than
// a checkpoint, FAILED_PRECONDITION for one of another network or number of threads.
absl::Status ReadCheckpoint(std::string_view checkpoint, const TrainingSetup& setup,
                            TrainingState& state, Learner& learner);

}  // namespace tidemill::trainer_server
